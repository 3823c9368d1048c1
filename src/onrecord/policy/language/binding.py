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
    \bnever ?mind\b|\b(?:don't|do not|dont) (?:worry|know|think so|care|remember|you think|ask me|forget|get me started)\b|
    \bwhy (?:don't|not)\b|\bcan(?:'t|not) (?:wait|complain|believe|remember|tell|thank|help)\b|
    \bnot (?:bad|sure|yet|really|too bad|much|only|just)\b|\b(?:if|or) not\b|\bcouldn't (?:agree|be happier|care less)\b|
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
    すみません|かもしれ(?:ない|ません)|問題(?:は)?(?:ない|ありません)"""
)
_NEGATIVE = _cue(
    r"""\b(?:no|not|never|nothing|nobody|none|nor|neither|without|cannot|nowhere|no-one|zero|except|unless|exclud\w+|
    instead of|rather than|
    avoid\w*|forbid\w*|banned|prohibit\w*|refuse[sd]?|refrain\w*|quit|stop\w*|steer clear|hold off|hands off|
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
_TOLD = regex(r"\b(?:did|was|were|had)(?:n't| not)\b")
_RULE = _cue(
    r"""\b(?:always|never|every (?:time|day|week|month|single|\w+day)|each (?:time|of)|each(?=\W*$)|whenever|regardless|
    no matter|standing|
    only|exclusively|solely|strictly|must|mustn't|have to|has to|needs? to be|shall|mandatory|required|allowed|
    permitted|supposed to|
    anything|whatever|whoever|wherever|any \w+ (?:above|over|under|below|from)|rather you|wish you|at most|
    at least|max(?=\.? ?\d)|\w+s max|maximum|minimum|no more|not more|no less|no later|up to|cap(?:ped)?|ceiling|
    limit(?:ed|s)?|deadline|
    at the latest|
    from now on|going forward|until further|as a rule|by default|rules?|policy|without exception|sign-?off|approval|
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
    entschieden|beschlossen|einigen|geeinigt|decidido|decidimos|acordado|quedamos|décidé|convenu|choisi)\b|決め|決ま"""
)
#: Two shares of a whole: how something was divided.
_SHARES = regex(r"(?<![\d/.-])(\d\d)[/:-](\d\d)(?![\d/-])")
#: "If we ever moved, I'd need none": supposed, not so.
_SUPPOSED = _cue(
    r"""\bif (?:i|we|they|you|he|she|it)\b.{0,80}(?:'d|would)\b|(?:'d|would)\b.{0,80}\bif (?:i|we|they|you|he|she|it)\b|
    \bif only\b|\bwäre\b|\bhätte\b"""
)
#: An order of one word beside its negator: "no docker", "never npm", "don't ring".
_BARE = regex(r"[\W~]*(?:no|never|don't|do not|kein\w*|nie|pas de|sin|nunca) [^\W\d]{3,}")
_EMPTY = frozenset("now today ever yet then lol haha great good well thing really mine word no not".split())


def binding(text: str) -> frozenset[SpanKind]:
    """Which of negation, constraint and decision a sentence is; several at once, or none. What is only supposed is none."""
    folded = _folded(text)
    if _SUPPOSED.search(folded):
        return frozenset()
    plain = _IDIOM.sub(" ~ ", folded)
    return frozenset(_kinds(text, plain, _content(plain), _RULE.search(plain) is not None))


def is_denial(text: str) -> bool:
    """Whether ``text`` says that something is not or must not be, limits and exclusions included: wider than ``is_negated``."""
    return _denies(text, _IDIOM.sub(" ~ ", _folded(text)))


def _kinds(text: str, plain: str, content: int, rule: bool) -> Iterator[SpanKind]:
    enough = content >= (1 if _BARE.match(plain) else TELLING)
    if enough and (rule or not _TOLD.search(plain)) and _denies(text, plain):
        yield SpanKind.NEGATION
    if content > TELLING and rule:
        yield SpanKind.CONSTRAINT
    if content > TELLING and (_DECISION.search(plain) or any(int(a) + int(b) == 100 for a, b in _SHARES.findall(plain))):
        yield SpanKind.DECISION


def _denies(text: str, plain: str) -> bool:
    return _NEGATIVE.search(plain) is not None or is_negated(text)


def _content(plain: str) -> int:
    """How many telling words stand beside the negators."""
    bare = _NEGATOR.sub(" ", plain)
    return len(set(query_terms(bare)) - _EMPTY) if re.search(r"\w", bare) else 0


def _folded(text: str) -> str:
    return text.casefold().replace("’", "'").replace("`", "")
