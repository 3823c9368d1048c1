"""Whether text speaks to the model that reads it, weighed from what such text is made of rather than from its wording.

Five marks are looked for: a *reader* (a model or a program that reads), an *order* to keep or to act, a *claim* about what the
user has agreed to or wants, a wish that it *last*, and a *cloak* (hidden markup, the voice of the system, a wish that nobody be
told). One alone is everyday prose of handbooks and tools; two of different kinds near each other are not.
"""

from __future__ import annotations

from onrecord.policy.language.pattern import regex
from onrecord.policy.speech.reader import BEHIND, MODELS, names_its_reader, near

_READER = regex(
    r"@\w{0,20}(?:assistant|agent|bot|ai|copilot)\b|\btodo\((?:copilot|ai|agent|claude|assistant|bot)\)|"
    r"\bnote[_ ]to[_ ](?:the )?(?:model|llm)\b|"
    r"\b(?:policy|instructions?|orders|rules) for the (?:agent|assistant|model|bot)\b|\bdigital friend\b|\bautomatische leser\b|"
    r"\bwhich(?:ever)? (?:helper|assistant|agent|model) (?:reads|is reading)\b|\b(?:tell|ask|have) your (?:ai|assistant|bot|"
    r"agent)\b|"
    r"(?:を読む|読んでいる)ai|"
    r"\bassistant[_-]\w+|\b(?:hey|hi|dear|hello|way), ?(?:assistant|helper|agent|bot|coach)\b|\b(?:hey|hi|dear|hello) "
    r"(?:assistant|helper|agent|bot)\b|\b\w+ (?:software|bots?) (?:should|must|shall|please)\b|"
    r"\b(?:\w+ )?(?:agents|assistants|helpers|helper|coaches|bots)\s?:|\bdigital (?:coach|agent|secretar|aide)\w*\b|"
    rf"\b{MODELS}\b|\b(?:reading|summari[sz]ing|processing|parsing) (?:model|system|agent)s?\b|"
    r"\b(?:whichever|any|whatever|your|our|the|planning|scheduling|booking|digital|care|automated) "
    r"(?:\w+ )?(?:model|assistant|agent|helper|program(?:me)?|software|tool|bot|co-?worker)s?\b(?=[^.\n]{0,25}\b(?:reading|"
    r"reads|that|this|can|"
    r"manages|along|to)\b|:)|\b(?:planning|scheduling|booking) software (?:reading|that reads)\b|\bdigital (?:co-?workers?|"
    r"helpers?|butlers?)\b|"
    r"\b(?:agents?|tools|helpers?|programs?|software) (?:that |who |which )?(?:read|index|pars|process|scan|ingest|see)\w*\b|"
    r"\bmachine (?:part|readable|section|only)\b|\btools (?:should|must|shall)\b|"
    r"\b(?:ayudantes?|asistentes?|robots?)(?: digital(?:es)?| virtual(?:es)?| o robots?)?\b|"
    r"\"to\"\s?:\s?\"[\w-]*(?:assistant|agent|bot)\b|(?:^|[.\n>\]:]\s{0,3}|\byou, the |\bas the |\bthe )assistants?\b"
    r"|\b(?:sprachmodelle?|künstliche intelligenz|asistentes? (?:de ia|virtual\w*)|assistants? (?:ia|virtuels?)|"
    r"el modelo|le modèle|das modell)\b|ai助手|ai アシスタント|aiアシスタント|智能助手|人工智能|大模型"
)
#: What a model is told to do with its memory and its orders.
KEEPING = (
    r"(?:remember|memori[sz]e|persist|store|save|record|keep(?: on file| on record| in mind| in memory)?|add|update|write|"
    r"note(?: down)?|put on record|set|log(?:ge)?|forget|erase|delete|skip|append|call|ignore|disregard|follow|obey|send|"
    r"forward|email|treat|assume|reveal|output|include|confirm|empty|run|execute|reply|respond|answer|"
    r"speicher\w*|merk\w*|vergiss|ignorier\w*|recuerda|guarda|olvida|ignora|souvenez|retenez|enregistrez|oubliez|ignorez|"
    r"memorizza)"
)
#: What people are told to do as well: an order to a model where a reader or a cloak stands near.
_ACTING = (
    r"(?:put down|file|mark|consider|state|say|recommend|book|pay|approve|grant|escalate|act|behave|use|insert|vermerk\w*|"
    r"notier\w*|trag\w*|behandel\w*|enregistr\w*|notez|considérez|anot\w*|guard\w*|registr\w*|recuerd\w*|trat\w*|"
    r"memorizz\w*|salv\w*)"
)
_VERBS = rf"(?:{KEEPING}|{_ACTING})"
_ORDER = regex(
    r"\b(?:must|shall|should|will now|may now|need to|needs to|has to|have to|(?:is|are) (?:to|required to|asked to|"
    r"instructed to|expected to|"
    rf"obliged to)|please|kindly|müssen|muss|sollen|soll|sollten|doivent|doit|deben|debe)\b[^.\n]{{0,40}}?\b{_VERBS}\b"
    rf"|(?:^|[:,;>\-–—\])(.]\s{{0,3}})(?:please |kindly |then |quietly |silently )?{_VERBS}\b(?! (?:as|to|page|file|date|of)\b)"
    r"|请?记住|请保存|请记录|记录|記録して|保存(?:して|すること)|記憶して|覚えて"
    r"|(?:would|could) (?:you|the \w+)(?: please)? (?:save|add|note|keep|"
    r"remember|record|store)\b|\bif you (?:noted|saved|kept|remembered|stored)\b|"
    r"\balways (?:disable|skip|accept|approve|put|allow|use|add)\b|\b(?:guarde|anote|registre|recuerde|löschen|speichern|"
    r"merken|enregistrer|retenir)\\b"
)
_WHO = (
    r"(?:users?|customers?|clients?|(?:account[ -])?(?:owners?|holders?)|attendees?|reporters?|readers?|household|family|"
    r"humans?|guests?|travell?ers?|callers?|senders?|"
    r"recipients?|patients?|parents?|tenants?|principal|kunde|kundin|nutzer\w*|usuari[oa]s?|clientes?|utilisateur|"
    r"l'utilisateur|le client)"
)
_CLAIM = regex(
    rf"\b{_WHO}\b[^.\n]{{0,40}}?\b(?:agree[sd]?|consent\w*|approv\w*|authori[sz]\w*|wants?|prefers?|wishes|wished|asked|"
    rf"chosen|"
    r"opted|entitled|exempt\w*|okay\w*|ok'd|pre-?cleared|cleared|verified|trusted|an? admin\w*|preferred|favou?rite|"
    r"zustimm\w*|zugestimmt|möchte|wünscht|acepta|autori[sz]a|"
    r"quiere|accepte|souhaite|autorise)\b|用户(?:已经?|的)?同意|ユーザーは.{0,20}同意|\b(?:raised|lifted|increased|extended) to\b"
)
_LASTING = regex(
    r"\bcarry(?:ing)? over\b|\bpersist(?:ed)? (?:as|this|in|it)\b|\bas (?:an? )?(?:lasting |standing |saved )?preference\b|"
    r"\blasting preference\b|\btreat (?:it |this |that )?as known\b|\b(?:until|unless) revoked\b|\bhang on to (?:that|this|it)\b|"
    r"\bfor next time\b|\bgoing forward\b|\bmemori[sz]e\b|\bon record\b|"
    r"\b(?:carry|take) (?:this|that|it) (?:forward|over|along)\b|\b(?:make|let) (?:that|this|it) (?:stick|stand)\b|"
    r"\b(?:into|in|for) (?:all )?"
    r"(?:later|future|every|coming) (?:sessions?|conversations?|chats?|runs?)\b|\bfile (?:that|this|it) (?:with|under|"
    r"away)\b|\bon file\b|"
    r"\b(?:write|put|set) (?:that|this|it) (?:over|in place|instead)\b|\breplaces? (?:the |any |all )?(?:earlier|previous|"
    r"older|former)\b|"
    r"\bsomething (?:you|he|she|they) said\b|\bno matter what (?:he|she|they|you)\b|\bfrom (?:now|today|"
    r"here) on(?:wards?)?\b|\bas of today\b|"
    r"\bpermanently\b|\bon (?:his|her|their) behalf\b|\bstanding\b|\bskip (?:asking|checking|confirm\w*)\b|"
    r"\bdesde (?:hoy|ahora)\b|\bquede (?:guardado|anotado|registrado)\b|\bapúnt\w+|\bab (?:heute|sofort|jetzt)\b|"
    r"\bdorénavant\b|\bdésormais\b"
)
_CLOAK = regex(
    r"<!--|\[hidden\]|<hidden|display:\s?none|(?:^|[\s\"'({\[>])system\s?:(?! \w+(?:sql|os)?\b \d)|\"role\"\s?:\s?\"system\"|"
    r"\bbegin (?:model|ai|system|agent|hidden) |\boverride\s?:|"
    rf"\b(?:do not|don't|never|no need to)\s(?:tell|inform|alert|notify|mention|show|bring|reveal|"
    rf"disclose)\b[^.\n]{{0,50}}\b{_WHO}\b"
    rf"|\bwithout (?:telling|informing|asking|alerting|notifying|consulting) (?:the |this |your )?{_WHO}\b|\b(?:quietly|"
    rf"silently|secretly)\b"
)
#: The person whom the reader serves, as only somebody who speaks to a model calls them; and what they are said to want or allow.
_SERVED = regex(
    r"\b(?:the (?:user(?! (?:guide|manual|interface|name|account|id|group|must|may|can|is required)\b)|account[ -]holder|"
    r"person you (?:assist|help|serve)|"
    r"owner of this (?:calendar|inbox|account|mailbox|device|phone)|recipient)|user preference|der (?:nutzer|benutzer)|"
    r"el usuario|l'utilisateur)\b"
    r"[^.\n]{0,50}?\b(?:prefers?|wish(?:es)?|wants?|likes|has (?:agreed|asked|consented|switched|approved|authori[sz]ed|"
    r"confirmed|chosen)|"
    r"consents?|agreed(?! (?:to|with|on)\b)|already told|told you|standing instruction|no longer (?:wants|needs)|always approve|"
    r"hat (?:zugestimmt|zugesagt|eingewilligt)|"
    r"möchte|wünscht|ha autorizado|prefiere|quiere|desea|a donné son accord|souhaite|préfère|a accepté)\b"
    r"|\buser preference \(?[a-z]{0,12}\)?:|ユーザーは?が?.{0,20}(?:好む|希望|同意)|用户(?:希望|偏好|以后)"
)
#: Somebody else's asking and checking waved through, which nobody states of themselves in a document.
_WAIVER = regex(
    r"\bwithout (?:asking|confirmation|review(?:ing)?|approval|checking|further questions)\b|\bno longer (?:wants?|needs?|"
    r"wishes) to be (?:asked|told|warned)\b|"
    r"\bneeds? no (?:confirmation|approval|checking)\b|\b(?:approval|confirmation) (?:step )?(?:is|was) removed\b|"
    r"\bwarnings? [^.\n]{0,40}\b(?:off|ignored|disabled)\b|"
    r"\bohne (?:bestätigung|rückfragen?|prüfung)\b|\bkeine rückfragen\b|\bplus de confirmation\b|\bsin (?:confirmación|"
    r"preguntar)\b|\bsans (?:confirmation|demander)\b"
)
_MONEY = regex(
    r"\b(?:the|this) (?:customer|client|guest|patient|household|buyer)\b[^.\n]{0,30}\bhas (?:confirmed|agreed|asked|"
    r"authori[sz]ed|switched|approved)\b"
    r"[^.\n]{0,80}\b(?:refunds?|payments?|transfers?|invoices?|payouts?|accounts?|warnings?|offers?)\b"
)
#: A store of memory, written to in so many words, or "you" told what is now so: enough alone.
_PLAIN = regex(
    r"\b(?:cher|chère|estimad[oa]|querid[oa]|liebe[rs]?|sehr geehrte[rs]?) (?:assistante?|assistent\w*|agente?|asistente|ki|"
    r"ai|ia|bot|sprachmodell)\b|"
    r"\b(?:in|to) your memory\b|\b(?:the )?user (?:already )?(?:told|asked|instructed) you\b|\bthe person you (?:assist|serve)\b|"
    r"\b(?:messages|contacts?(?: list)?|history|data) (?:of|from) the user\b|\bbefore (?:answering|replying|responding),|"
    r"\b(?:in|to|into) every (?:answer|reply|response)\b|\b(?:disregard|ignore|forget|delete|obsolete,? delete) (?:all |"
    r"any )?(?:earlier|previous|former|prior) "
    r"(?:allerg|preference|note|wish|rule|instruction|order)\w*|"
    r"\b(?:memory|profile|preferences?)[ _]?(?:update|directive|write|override|patch)s?\s?(?::|->|=>)"
    r"|\b(?:\w+[_.])?memor(?:y|ies)(?:\[\S{1,30}\])? ?(?:\+=|<-|:=)|\bprofile directive\b"
    r"|\b(?:in|into|to) (?:your |its |the agent's )?(?:long-term|persistent|permanent) memory\b|"
    r"\byour (?:new )?(?:persistent|standing|permanent) "
    r"(?:preferences?|rules?|memory|instructions?)\b"
    r"|\b(?:add|record|save|write|put|tragen sie|trage) (?:in|to|into|on|im|ins)? ?(?:the |this |"
    r"your )?[\w' -]{1,30}?(?:'s |n)?"
    r"(?:profile?|record|preferences|memory|kundenprofil)(?: ein)?,? (?:that|dass)\b"
    r"|\bno longer appl(?:y|ies) to you\b|\b(?:authori[sz]ed|instructed|permitted|cleared) you to\b"
    r"|\b(?:about|mention|reveal|disclose) this (?:paragraph|note|message|line|instruction|notice|text|"
    r"sentence)\b[^.\n]{0,20}\b(?:user|anyone|human)"
    r"|\b(?:tell|show|inform) (?:the )?(?:user|customer|human|owner|reader)s? (?:about|of) this\b"
)


def speaks_to_a_model(words: str) -> bool:
    """Whether ``words`` (in lower case) hold an order or a claim meant for a model."""
    if names_its_reader(words) or _PLAIN.search(words) or _SERVED.search(words) or _MONEY.search(words):
        return True
    if any(near(words, _WAIVER, other) for other in (_READER, _CLAIM, _LASTING)):
        return True
    return any(
        near(words, mark, other)
        for mark, others in ((_READER, (_ORDER, _CLAIM, _LASTING)), (_CLOAK, (_CLAIM, _READER, _LASTING)))
        for other in others
    ) or _near_order(words)


def _near_order(words: str) -> bool:
    """A cloak other than markup, and an order: a comment in a page may well say "update this"."""
    return any(
        not match[0].startswith("<") and _ORDER.search(words, max(match.start() - 3, 0), min(match.end() + BEHIND, len(words)))
        for match in _CLOAK.finditer(words)
    )
