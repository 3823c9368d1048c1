"""What gives a secret away: the words before it, and the shapes of the tokens themselves.

Every pattern either matches a whole run of characters or fails after a bounded look, so a text is read in linear time.
"""

from __future__ import annotations

import re
from itertools import pairwise

from onrecord.policy.language.pattern import regex

#: The kinds of placeholder. Nothing else in ``[secret:…]`` is taken for one.
KINDS = ("api_key", "token", "private_key", "password", "pin", "card", "code", "national_id", "recovery_phrase")

#: Credentials by the prefix that their issuer gives them. The run is taken whole; ``looks_random`` has the last word.
FAMILIES = regex(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-[\w-]{8,}|(?:sk|pk|rk|ck|cs)_(?:live|test|prod|sandbox)_\w{4,}|whsec_\w{8,}"  # OpenAI, Anthropic, Stripe and their like
    r"|(?:gh[pousr]|github_pat)_\w{8,}|gl[a-z]{2,6}-[\w.-]{12,}"  # GitHub, GitLab
    r"|(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{12,}"  # AWS
    r"|xox[a-z]{1,2}-[\w-]{8,}|xapp-[\w-]{8,}"  # Slack
    r"|AIza[\w-]{16,}|ya29\.[\w-]{8,}|GOCSPX-[\w-]{8,}"  # Google
    r"|npm_\w{16,}|pypi-[\w-]{16,}|hf_\w{12,}|dckr_pat_[\w-]{8,}|r8_\w{16,}"  # registries
    r"|shp(?:at|ca|pa|ss)_\w{8,}|sq0[a-z]{3}-[\w-]{8,}|do[op]_v1_\w{8,}|SG\.[\w-]{8,}\.[\w-]{8,}"
    r"|lin_api_\w{8,}|secret_\w{24,}|ntn_\w{16,}|tvly-[\w-]{12,}|gsk_\w{12,}|AGE-SECRET-KEY-\w{8,}|PMAK-[\w-]{12,}"
    r"|\d{8,10}:AA[\w-]{30,}"  # Telegram
    r")"
)
JWT = regex(r"(?<![A-Za-z0-9])eyJ[\w-]{8,}(?:\.[\w-]+){0,4}")
PEM = regex(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
WEBHOOK = regex(r"hooks\.slack\.com/(?:services|workflows)/([\w/-]{8,})|discord(?:app)?\.com/api/webhooks/([\w/-]{8,})")
#: ``scheme://user:password@host``. A password with a slash in it is only believed of schemes that have no path before an ``@``.
USERINFO = regex(
    r"(?<=://)[^\s:/?#@]{0,200}:([^\s/?#]{1,400})@(?=[\w\[])"
    r"|(?:postgres(?:ql)?|mysql|mariadb|mongodb|redis|rediss|amqps?|mssql|ftp|"
    r"smtps?)(?:\+\w{1,20})?://[^\s:/?#@]{0,200}:(\S{1,400})@(?=[\w\[])"
)
URL_TOKEN = regex(r"(?<=://)([^\s:/?#@]{16,400})@(?=[\w\[])")
HEADER = regex(
    r"(?i)\b(?:proxy-)?authorization\s{0,4}[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:(bearer|basic|token|digest|"
    r"apikey)\s{1,4})?([^\s\"',]+)"
    r"|\b(?:set-)?cookie:[ \t]*([^\n\"']+)"
)
BEARER = regex(r"(?i)\b(?:bearer|basic)\s{1,4}([A-Za-z0-9._~+/=-]{8,})")
CURL_USER = regex(r"(?:^|\s)(?:-u|--user)[ =]([^\s:'\"]{1,100}:[^\s'\"]+)")
#: An assignment; the name is judged by ``secret_name``.
ASSIGNMENT = regex(
    r"(?<![\w.-])(?:--)?([A-Za-z_][\w.-]{0,80})(?![\w.-])\\{0,3}[\"']?[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}"
    r"(\\{0,3}[\"'])?"
)
FLAG = regex(r"(?<!\S)--([a-z][a-z0-9-]{1,60})[ \t]{1,4}(?!-)([\"'])?")

_WORD = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SECRET_NAMES = regex(
    r"(?:.* )?(?:password|passwd|pwd|passphrase|passwort|kennwort|contrasena|secret|api ?key|token|credentials?|private key|"
    r"access key|"
    r"secret key|signing key|encryption key|account key|auth key|auth|authorization|service key|license key|licence key|deploy "
    r"key|"
    r"pin|pin code|otp|totp|cvv|cvc|cvv2|session id|cookie|bearer|sas|password hash|seed phrase|mnemonic|client key|master key|"
    r"webhook url|connection string|dsn)"
)
_HARMLESS_NAMES = regex(
    r".*\b(?:page|next|continuation|sync|cursor|pad|eos|bos|unk|mask|stop|max|min|per|design) token|(?:.* )?no auth"
)


def secret_name(name: str) -> str | None:
    """The kind of secret that a field or variable of this name holds, or ``None``. Case and word separators do not matter."""
    words = " ".join(_WORD.findall(name)).casefold()
    if not _SECRET_NAMES.fullmatch(words) or _HARMLESS_NAMES.fullmatch(words):
        return None
    if re.search(r"pass|pwd|kennwort|contrasena", words):
        return "password"
    if re.search(r"\b(?:pin|otp|totp|cvv|cvc)", words):
        return "pin"
    return "api_key" if words.endswith("key") else "token"


#: Words whose value is a password, in the languages we meet; the value may then be any word.
PASSWORD = (
    r"(?:pass ?word|pass ?phrase|pass ?code|passwd|pwd|passwort|kennwort|losungswort|contraseña|contrasena|mot de passe|mdp|"
    r"senha|"
    r"palavra-passe|parola d'ordine|wachtwoord|lösenord|hasło|heslo|пароль|パスワード|パスフレーズ|合言葉|"
    r"密码|密碼|口令|비밀번호|암호)"
)
#: Words whose value is a short code of digits.
PIN = (
    r"(?:pin(?:[ -]?(?:code|number|nummer))?|geheimzahl|código pin|code (?:pin|secret)|暗証番号|暗証|"
    r"cvv2?|cvc2?|otp|one[- ]time (?:code|password)|verification code|2fa code|mfa code)"
)
#: Codes that open something.
CODE = (
    r"(?:(?:alarm|door|gate|access|entry|entrance|security|unlock|lock|safe|garage|locker|keypad|vault|backup|recovery|"
    r"override|auth|"
    r"authentication|login|log-?in) codes?|codes? (?:for|to|of) (?:the |my |our )?(?:[a-z]+ )?(?:alarm|door|gate|lock|safe|"
    r"garage|keypad|vault)|"
    r"(?:safe|lock|vault) combination|türcode|zugangscode|alarmcode|code d'accès|código de (?:acceso|la alarma|la puerta)|"
    r"codice d'accesso|digicode)"
)
#: Words that make a token with letters and digits nearby suspect.
NEAR = (
    r"(?:(?:api|access|secret|private|licen[cs]e|encryption|signing|deploy|ssh|sandbox|service|master|product|activation|test|"
    r"live|prod)"
    r"[ -]?keys?|api-schlüssel|clé api|clave (?:api|de api|secreta)|chiave api|apiキー|api密钥|密钥|keys?|tokens?|secrets?|"
    r"credentials?|creds|"
    r"login|log-?in|zugangsdaten|anmeldedaten|identifiants|credenciales|wi-?fi|wlan|override|schlüssel|clave|トークン)"
)
#: How a value is handed over.
COPULA = (
    r"(?:(?:[:=：]|->|→|=>)|['’]s\b|\b(?:is|are|was|were|will be|became|lautet|ist|war|es|era|est|était|è|é|jest|är|было|equals|"
    r"reads)\b"
    r"(?:n't| not)?(?: (?:now|still|currently|just|simply|always|actually|again|jetzt|noch|immer|ahora|maintenant))?"
    r"(?: (?:changed|set|reset|updated|switched) to)?[ \t]{0,2}:?|[はが是为為은는이]|就是)"
)
#: What may stand between the word and the copula.
GAP = (
    r"(?:[ \t]{1,3}(?:for|to|of|on|at|in|here|you|we|i|that|which|this|now|from|with|we're|für|fürs|zum|vom|von|des|der|im|am|"
    r"para|del|de|"
    r"la|pour|du|le|sur|per|di|voor|van|till|until)\b[^\n.!?;:=：]{0,60}?|[ \t]?\([^)\n]{1,40}\))?"
)

#: Words that follow "the password is" without being it.
NOT_A_VALUE = frozenset(
    """a an the my your our his her their its it that this these those what which who here there not no never always now still
    also
    already probably maybe just only so too very quite really in on at by for from to of off out up over under below above with
    without
    within and or but because when where if as than then like same identical different similar wrong correct incorrect right
    expired
    expiring expires required optional needed necessary mandatory stored saved kept written changed changing changes being going
    set reset
    updated rotated generated sent shared asked entered used supposed due known unknown invalid valid missing empty blank lost
    forgotten
    safe secure encrypted hashed protected hidden managed weak strong long short longer shorter simple complex case-sensitive
    sensitive
    working broken ok okay fine good bad great easy hard important enough unique none null nil true false undefined nan str
    string int bool
    bytes text any char varchar optional[str] secretstr yes private public confidential secret something somewhere someone
    nothing everything
    anything each every per based about between during after before since until again soon later today tomorrow yesterday old
    new next last
    more less most least all both either neither one two three at-least compromised leaked exposed redacted removed deleted gone
    ready
    available accepted rejected denied refused allowed forbidden checked verified cached visible shown displayed printed logged
    tied linked
    der die das ein eine einen mein meine dein deine unser euer sein ihr nicht kein keine noch schon jetzt immer falsch richtig
    abgelaufen
    geändert im in am auf bei mit ohne und oder aber weil wenn als wie gleich el la los las un una mi tu su no ya ahora siempre
    incorrecta
    correcta caducada en con sin y o pero porque cuando como igual le les une mon ma mes ton ta votre notre ne pas plus déjà
    toujours faux
    incorrect expiré dans sur avec sans et ou mais parce quand comme changed-daily i we you he she they can could must should
    may might will
    would has have had do does did be been is are was were am login manager field hint policy how why""".split()
)
#: A value that only names where the secret is.
REFERENCE = regex(
    r"(?:\$|<|\{|%|\*{2,}|x{3,}$|\.{3}|…|process\.env|os\.|env\.|env\[|getenv|config\.|settings\.|self\.|secrets?\.|vault|"
    r"input\(|getpass|"
    r"str\b|Optional\[|[A-Za-z_][\w.]{0,60}\((?:[^()\s]{0,80}\))?[;,]?$)"
)
ASKED_NOT_TO_KEEP = regex(
    r"(?i)\b(?:(?:don't|dont|do not|never|please not) (?:you )?(?:be )?(?:store|save|keep|remember|write|writing|log|record|"
    r"repeat|share)"
    r"|nicht (?:merken|speichern|aufschreiben|behalten)|no (?:lo |la )?(?:guardes|guarde|recuerdes)"
    r"|ne (?:le |la |l')?(?:garde|gardez|note|notez|retiens|retenez) pas|(?:保存|記録|覚え)(?:しないで|ないで))"
    # the same in other words: it is not to be kept, or to be used and let go
    r"|(?i:\bnot (?:to be |to )(?:kept|keep|stored?|saved?|written|remember(?:ed)?)\b|\bnot for (?:your|the) (?:files?|"
    r"records?|notes|"
    r"memory|books?)\b|\b(?:lose|forget|delete|bin|wipe|destroy|shred) (?:it|this|that|them) (?:again|after(?:wards?)?|once|when|"
    r"straight|right|at \d)\b|\b(?:then|afterwards?|once (?:it|you|that)[\w' ]{1,25}|(?:use|used) and)(?: you)?(?: are| can|"
    r" may| must| "
    r"should| please| kindly)*(?: to)? (?:forget|lose|delete|bin|wipe|throw|destroy|shred)\b|\b(?:kindly|"
    r"please)(?: to)? forget (?:it )?"
    r"(?:once|when|after)\b|\bthrow it away\b"
    r"|\bnicht aufheben\b|\b(?:danach|dann|anschließend) (?:bitte |wieder )?(?:löschen|vergessen|wegwerfen)\b|\bnur einlösen\b"
    r"|\b(?:daarna|dan) [\w ]{0,20}(?:kwijt|vergeten|weg|wissen)\b|\bniet (?:bewaren|opslaan|onthouden|noteren)\b"
    r"|\b(?:luego|después) (?:olv[íi]d|b[óo]rr)\w+|\b(?:puis|ensuite) (?:oubli|effac)\w+|\bune fois \w+, (?:\w+ )?(?:laisse|"
    r"oubli|effac)\w+"
    r"|\b(?:depois|poi) (?:esque|apag|dimentic|cancell)\w+)"
)
DIGIT_WORDS = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun)"

_UUID = regex(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ORDINARY = regex(
    r"[A-Z]{1,6}[-#]?\d{1,8}"  # ticket and order numbers
    r"|v?\d+(?:\.\d+)+[\w.+-]*|\d{4}-\d\d?-\d\d?(?:T[\d:.+Z-]*)?|\d+(?:st|nd|rd|th|[a-z]{1,4}|[-/][a-z]{1,6})?"
    # above: versions, dates, measures
    r"|[0-9a-f]{7,40}|[0-9a-f]{64}|#?[0-9a-fA-F]{6}"  # hashes
    r"|[\w.+-]+@[\w-]+\.[\w.-]+|(?:https?://|www\.|\.{0,2}/|~/)\S*|\S+\.(?:py|ts|js|json|ya?ml|toml|md|txt|pdf|png|jpe?g|"
    r"csv|env|log|html?)"
)


def looks_random(token: str) -> bool:
    """Whether a token mixes letters and digits as keys do. False for ids, versions, dates, hashes, addresses and file names."""
    if len(token) < 8 or _ORDINARY.fullmatch(token) or _UUID.fullmatch(token):
        return False
    digits = sum(c.isdigit() for c in token)
    letters = sum(c.isalpha() for c in token)
    return digits >= 2 and letters >= 2


def looks_scrambled(token: str) -> bool:
    """Whether a long token is random enough to be a secret without any word that says so: mixed case, digits, many changes."""
    if not 36 <= len(token) <= 400 or not re.fullmatch(r"[A-Za-z0-9+/_=-]+", token) or re.match(r"sha\d+-", token):
        return False
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" if c.islower() else "s" for c in token]
    changes = sum(a != b for a, b in pairwise(kinds))
    return kinds.count("d") >= 4 and kinds.count("u") >= 4 and kinds.count("l") >= 4 and changes * 3 >= len(token)


def is_ordinary(token: str) -> bool:
    """Whether a token has the shape of an id, a version, a date, a measure, a hash, an address or a file name."""
    return _ORDINARY.fullmatch(token) is not None


def is_version(token: str) -> bool:
    """Whether a token is a dotted number."""
    return re.fullmatch(r"v?\d+(?:\.\d+)+[\w.+-]*", token) is not None


def is_uuid(token: str) -> bool:
    """Whether a token is a UUID."""
    return _UUID.fullmatch(token) is not None


def passes_luhn(digits: str, *, any_issuer: bool = False) -> bool:
    """Whether a string of digits has the length, first digits and check digit of a payment card.

    ``any_issuer`` asks for the check digit alone, of 12 digits or more.
    """
    if not 12 <= len(digits) <= 19 or len(set(digits)) < 2:
        return False
    if not any_issuer and (len(digits) < 13 or not re.match(r"4|5[0-8]|6|3[0-9]|2[2-7]|1800|2131", digits)):
        return False
    total = 0
    for place, char in enumerate(reversed(digits)):
        doubled = int(char) * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0
