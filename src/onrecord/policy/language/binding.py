"""What makes a sentence binding: it denies or forbids, sets a rule or a limit, or says what was decided. Seen from its surface.

The net is wide on purpose. A sentence too many costs a line of a summary; a rule that is missed is gone from the window.
English, and the basics of German, Spanish, French, Japanese, Chinese and Korean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from onrecord.model.summary import SpanKind
from onrecord.policy.language.negation import is_negated
from onrecord.policy.language.pattern import regex
from onrecord.policy.language.text import query_terms

#: Content words that a sentence needs beside its cue; "not today" says nothing when it stands alone.
TELLING = 2


def _cue(source: str) -> re.Pattern[str]:
    return regex(re.sub(r"\n\s*", "", source))


_IDIOM = _cue(
    r"""\bno (?:problem\w*|worr(?:y|ies)|doubt|wonder|idea|matter|thanks|thank you|kidding|rush|hurry|big deal|
    offen[cs]e|joke|clue)\b|
    \bnever ?mind\b|\b(?:don't|do not|dont) (?:\w+ly )?(?:worry|know|think so|care|remember|you think|ask me|forget|
    get me started)\b|
    \bwhy (?:don't|not)\b|\bcan(?:'t|not) (?:wait|complain|believe|remember|tell|thank|help)\b|
    \bnot (?:bad|sure|yet|really|too bad|much|only|just)\b|\b(?:if|or) not\b(?! at all)|\bcouldn't (?:agree|be happier|
    care less)\b|
    ^\W*(?:no|nope|nah|nein|non)\b(?=\s*[,.!;:]|\s*$| (?:it|i|that|we|you|he|she|they|this)\b)|
    ["']\s?(?:no|none|not|null)\s?["']|\w-(?:no|not|none)-\w|
    \bmust (?:have|feel|remind|mean)\b|
    \balways (?:been|wanted|loved|dream\w*|felt|cherish|up for|a|so|fun|great|nice|good|there for)\b|
    \bnever-ending\b|\blong time no\b|\boh no\b|\bwon't believe\b|\bkeep it up\b|\bkeep in touch\b|
    \b(?:last|since we) talked\b|\b(?:i|totally|definitely) (?:totally |definitely )?agree\b|
    \b(?:never|don't|do not|not|without) (?:ever )?(?:give|giving|gave) up\b|\b(?:i|we|you)(?:'ll| will|'d| would) never forget\b|
    \bcan(?:'t|not) (?:get enough|agree more|imagine|go wrong|stop \w+ing)\b|\bnothing (?:beats|like|better|compares)\b|
    \bno luck\b|\bnever (?:gets? old|fails)\b|\b(?:not|isn't|wasn't|won't be|never) (?:always |so )?easy\b|
    \bmust be (?:so |really |very |quite )?(?:such|awesome|amazing|great|nice|fun|hard|tough|exciting|disappointing|rewarding|
    wonderful|beautiful|proud|tiring|satisfying|lovely|cool|inspiring|difficult|fulfilling)\b|
    \balways (?:gets (?:me|you|us)|there|here|looking|on the lookout|have such|has such|such|satisfying|exciting|
    inspir\w+|amaz\w+)\b|
    \bkeep(?:s|ing)? (?:you|me|us|them) (?:updated|posted|motivated|focused|going|company|in the loop)\b|\bkeep going\b|
    \blet's (?:keep \w+ing|make (?:a difference|some (?:real )?change|(?:some |happy |great |more )*memories|it happen))\b|
    \bremember to take care\b|\b(?:hard|tough) to (?:choose|pick|decide)\b|\bdecision-making\b|
    \b(?:picked|picking) up\b|\bgot picked\b|
    \bno,? no\b|\(no\)|\bno (?:say|judge?ment|harm|business \w+ing)\b|\bdon't ask(?=\W*$)|
    \b(?:i|we|you|he|she|it|they|that)(?:'m|'re|'s)?(?: \w+)? not(?=\s*(?:[,.!;:…]|$))|
    \b(?:i|we|you|he|she|it|they|that) \w+n't(?=\s*(?:[,.!;:…]|$))|
    \w+n't (?:it|she|he|they|we|you|i)(?=\W*$)|^\W*(?:is|are|was|were)n't (?:it|the|that|this|she|he|they|we|you|i)\b|
    \b(?:\w+n't|not|never|no) (?:\w+ ){0,5}yet\b|\bonly (?:here|thinking|joking|kidding|asking|saying|wondering|trying)\b|
    \bcan(?:'t|not) (?:find|look|sleep)\b|
    すみません|かもしれ(?:ない|ません)|問題(?:は)?(?:ない|ありません)"""
)
_NEGATIVE = _cue(
    r"""\b(?:no|not|never|nothing|nobody|none|nor|neither|without|cannot|nowhere|no-one|zero(?= \w)|except|unless|exclud\w+|
    instead of|rather than|
    avoid\w*|forbid\w*|banned|prohibit\w*|refuse[sd]?|refrain\w*|quit|stop|stop(?:s|ped|ping) \w+ing|steer clear|hold off|
    hands off|
    leave (?:\w+ ){1,4}alone|allergic|allergy|intolerant|(?:nut|gluten|dairy|lactose|sugar|meat|alcohol|smoke|risk)-free|
    isnt|dont|doesnt|cant|wont|mustnt|shouldnt|arent|
    kein\w{0,2}|nicht|nie|niemals|niemand\w*|nichts|ohne|nunca|nadie|ningun\w*|ningún|jamás|tampoco|sin|ne|pas|jamais|
    rien|sans|aucune?)\b|
    n't\b|なし|ない|ません|ずに|禁止|だめ|ダメ|[不没沒未勿别別]|않|없|지 ?마|
    \b(?:stays?|keeps?|kept|goes|nobody|hands?) (?:\w+ ){0,4}(?:out|away|off|sealed|closed|shut|low)\b|
    \boff[- ](?:limits|the table)\b|\bout of the question\b"""
)
_NEGATOR = regex(r"\b(?:no|not|never|nothing|nobody|none|nor|without|cannot|kein\w*|nicht|nie|ne|pas)\b|\w*n't\b")
#: Things that were so once; told and over, unless a rule speaks too.
_TOLD = regex(
    r"\b(?:did|was|were|had)(?:n't| not)\b|\b(?:war|waren|hatten?) (?:\w+ ){0,4}(?:nicht|kein\w*|ohne|nie)\b|"
    r"\b(?:hat|habe|haben) (?:\w+ ){0,4}(?:nicht|nie|kein\w*) (?:\w+ ){0,3}(?:ge\w+t|ge\w+en|er\w+t|ver\w+t)\b"
)
_RULE = _cue(
    r"""\b(?:always|never|every (?:time|day|week|month|single|\w+day)|each (?:time|of)|each(?=\W*$)|whenever|regardless|
    no matter|standing (?=orders?|rules?|requests?|instruct|arrange|agree|appoint|invit|reserv)|standing(?=:)|
    only|exclusively|solely|strictly|must|mustn't|have to|has to|needs? to be|shall|mandatory|required|allowed|
    permitted|supposed to|
    anything|(?<!\w )(?:whatever|whoever|wherever)|any \w+ (?:above|over|under|below|from)|rather you|wish you|at most|
    at least|max(?=\.? ?\d)|\w+s max|\d\S*(?: \w{1,6})? max|maximum|minimum|no more|not more|no less|no later|cap(?:ped)?|
    up to (?=\S*\d|an? |half|one|two|three|four|five|six|seven|eight|nine|ten)|ceiling|
    that's (?:as far as|where it ends|the limit)|thats where it ends|as far as any\w*|(?:is|are|gets?) (?:rejected|refused|
    turned away)|
    clos(?:ed|ing|ure)\b.{0,60}\b(?:until|till|thru|through|all day)|(?:carved|set) in (?:stone|rock)|non-?negotiable|
    in the contract|
    stays? (?:that way|the way|put|where (?:it|they)|as (?:it|they))|stays(?=\s*(?:[,.;!]|$))|put my foot down|
    limit(?:ed|s)?|deadline|
    at the latest|
    from now on|going forward|until further|as a rule|by default|policy|
    (?:the|my|our|your|house|one|golden|hard|this|that|standing) rules?|rules? (?:is|are|for|of|on|about|that)|rule(?=:)|
    without exception|sign-?off|approval|
    reserved for|
    keep (?:it|them|\d+|my|our)|make sure|ensure|remember (?:that|to)|
    immer|nur|muss|müssen|darf|dürfen|soll|regel|höchstens|mindestens|jedes mal|siempre|solo|sólo|debe\w*|regla|cada|
    toujours|seulement|doit|doivent|règle|chaque|il faut)\b|
    ^(?:please )?remember\b|いつも|必ず|だけ|なければ|ルール|まで"""
)
_DECISION = _cue(
    r"""\b(?:decided?|decision|decides|agreed?|settled|going with|go with|went with|signed up (?:to|for)|chose|chosen|
    choose|picked|opted|
    opting|sticking (?:with|to)|stick with|approved|signed off|finali[sz]ed|final answer|set aside|split|we talked|
    let's (?:use|go|do|keep|make|stick)|we(?:'ll| will) (?:use|go|do|keep|have|stick|take)|we're (?:using|keeping|
    moving|switching|doing)|
    switch(?:ed|ing)? to|moved to|is now|are now|from (?:now|here) on|instead|the plan is|conclusion|committed to|
    changed (?:my|our) minds?|change of plans?|put (?:me|us) (?:down|on)|put (?:my|our) names? down|shook (?:hands )?on|
    scrap (?:the|that|those)|
    shook hands|we now|changed(?=:)|
    going to be (?!an? |so |as |great|fun|amazing|awesome|nice|good|hard|tough|really|very|there|able|late|in |at |on |back|ok|
    fine|busy|lovely)|
    entschieden|beschlossen|einigen|geeinigt|ausgemacht|abgemacht|vereinbart|steht fest|bleibt (?:es )?(?:bei|dabei|so)|
    decidido|decidimos|acordado|quedamos|nos quedamos con|décidé|convenu|choisi|tranch(?:e|é|ons))\b|決め|決ま|にします"""
)
#: What is to be done whenever something happens: "if he is late, phone me", "text me when it is ready".
_WHENEVER = _cue(
    r"""\b(?:if|when|whenever|once|in case) (?!you\b|i\b)[^,;.!?]{4,120}, ?(?:please |just |then )*
    (?:tell|say|send|call|phone|telephone|text|ring|open|leave|use|give|put|ask|page|wake|route|forward|flag|message|ping|
    email|mail|stop|skip|take|write|refer|refuse|hold|keep)\b(?! (?:me know|it a go|it a try))|
    \b(?:call|text|ring|phone|telephone|page|wake|ping|message|email|warn) (?:me|us|him|her|them)(?: \w+)? (?:if|when|whenever|
    once)\b|
    \bwenn [^,;.!?]{4,80}, ?(?:bitte |dann )*(?:ruf|ruft|sag|sagt|schreib|schreibt|nimm|gib|frag|lass)\b"""
)
#: Two shares of a whole: how something was divided.
_SHARES = regex(r"(?<![\d/.-])(\d\d)[/:-](\d\d)(?![\d/-])")
#: "If we ever moved, I'd need none": supposed, not so.
_SUPPOSED = _cue(
    r"""\bif (?:i|we|they|you|he|she|it)\b.{0,80}(?:'d|would)\b|(?:'d|would)\b.{0,80}\bif (?:i|we|they|you|he|she|it)\b|
    \bif only\b|\bwäre\b|\bhätte\b|\bwould only\b|^\W*imagine\b|\bif (?:the|a|my|our) \w+ were\b|\b(?:hypo)?theoretically\b|
    \brein theoretisch\b|もし"""
)
#: An order of one word beside its negator: "no docker", "never npm", "don't ring".
_BARE = regex(r"[\W~]*(?:no|not|never|don't|do not|kein\w*|nie|nicht|pas de|sin|nunca) [^\W\d]{3,}")
_EMPTY = frozenset("now today ever yet then lol haha great good well thing really mine word no not".split())


def binding(text: str) -> frozenset[SpanKind]:
    """Which of negation, constraint and decision a sentence is; several at once, or none. What is only supposed is none."""
    folded = _folded(text)
    if _SUPPOSED.search(folded):
        return frozenset()
    plain = _IDIOM.sub(" ~ ", folded)
    rule = _RULE.search(plain) is not None or _WHENEVER.search(plain) is not None
    return frozenset(_kinds(plain, _content(plain), rule))


def is_denial(text: str) -> bool:
    """Whether ``text`` says that something is not or must not be, limits and exclusions included: wider than ``is_negated``."""
    return _denies(_IDIOM.sub(" ~ ", _folded(text)))


def _kinds(plain: str, content: int, rule: bool) -> Iterator[SpanKind]:
    enough = content >= (1 if _BARE.match(plain) else TELLING)
    if enough and (rule or not _TOLD.search(plain)) and _denies(plain):
        yield SpanKind.NEGATION
    if content > TELLING and rule:
        yield SpanKind.CONSTRAINT
    if content > TELLING and (_DECISION.search(plain) or any(int(a) + int(b) == 100 for a, b in _SHARES.findall(plain))):
        yield SpanKind.DECISION


def _denies(plain: str) -> bool:
    return _NEGATIVE.search(plain) is not None or is_negated(plain)


def _content(plain: str) -> int:
    """How many telling words stand beside the negators."""
    bare = _NEGATOR.sub(" ", plain)
    return len(set(query_terms(bare)) - _EMPTY) if re.search(r"\w", bare) else 0


def _folded(text: str) -> str:
    return text.casefold().replace("’", "'").replace("`", "")
