"""Whether a candidate says that something must not happen or is not so: the polarity of its carrying clause, not of any clause.

Run-on talk denies things in passing ("…, and the feed doesn't say which is which"). A denial counts if it stands in the first
clause, or if it forbids or excludes: never, no calls, don't, must not, nothing, nobody.
"""

from __future__ import annotations

import re

from onrecord.policy.gate.features import plain
from onrecord.policy.language.negation import is_negated
from onrecord.policy.language.remembered import remembered

_CLAUSES = re.compile(r"[.;:!?。！？\n…]+\s*|,\s+|[、，]|\s[—–-]\s|\s\(|\)|\b(?:but|aber|pero|mais|sondern)\b")
#: A clause that explains or comments; a denial in it is about the reason, not about the fact.
_ASIDE = re.compile(
    r"^(?:and |und |y |et |the \w+, )?(?:because|where|wo|since|cause|bc|otherwise|else|as|which|who|whose|although|"
    r"though|if|when|weil|sonst|denn|da|porque|si no|parce que|sinon|car|for reasons|for whose|of whom)\b"
)
_COMMENT = re.compile(
    r"^(?:and )?(?:so that|even|it|it's|that|that's|he|she|they|i(?:'d|'m| am| was| had| do| did|"
    r" don't| know| think|'ve)?)\b"
)
#: "tea, not coffee"; "never coffee" forbids it.
_CONTRAST = re.compile(r"^(?:not|nicht|pas) (?:(?:in |on |at |the )?[\w']+|what\b.*)$")
_FORBIDS = re.compile(
    r"\b(?:never|no more|not ever|must not|mustn't|may not|shall not|not (?:allowed|permitted|"
    r"admitted|accepted|possible|to be)|forbidden|banned|prohibited|off the table|off[- ]limits|"
    r"no longer|"
    r"nothing|nobody|no one|no-one|(?<!or )none|nowhere|nichts|rien|cannot|can't|can not|don't ever|avoid|refuse|nie|"
    r"niemals|nicht mehr|kein\w{0,2}|niemand|verboten|nunca|jamás|nadie|prohibido|jamais|personne|"
    r"aucun\w*|interdit\w*|nada de|under no circumstances|nor will|not in my)\b"
    r"|^(?:so |and |please |also |but |then |ok |oh |just |bitte |por favor )*(?:don't|do not|"
    r"dont|no|not|avoid|stop|zero|nicht|ne|pas de)\b"
    r"|\bplease (?:don't|do not)\b|\bso (?:please )?(?:no|don't|keep)\b|\bbook nobody\b|\bstays? (?:sealed|away|out|off)\b"
    r"|\b(?:be|on|takes?|accepts?|contains?|allows?|offer|wants?|have|has|eats?|drinks?|uses?|"
    r"with|is|are|means|says|does|do) no (?!longer|idea|doubt|need|problem|matter)\w+|\bthere's (?:no|"
    r"not)\b"
    r"|\b(?:does|do|shall|will) not (?:extend|apply|cover|include|accept|ship|open|work|take)\b"
    r"|\b(?:isn't|aren't|won't|doesn't|don't) (?:unlock|open|go|get|eat|drink|take|do|accept|see|"
    r"work|ship|fly|drive|have any|allowed)\w*"
    # on a condition or a day, somebody does not; it is not to be; it is left out, or shut
    r"|\b(?:under|below|above|over|before|after|on|at|\w+days?) (?:[\w'-]+ ){0,3}?(?:i|we|he|she|they) "
    r"(?:don't|do not|won't|never) \w+"
    r"|\b(?:isn't|aren't|is not|are not) to \w+|\bor not at all\b|\bthere (?:isn't|is not|aren't|are not) (?:another|any|one)\b"
    r"|\bne \w+ (?:pas|plus)\b|\bn'y aur\w+ (?:pas|plus)\b|\bpas (?:de|un)\b|ないで|禁止|だめ|ダメ|ません"
)
#: What is denied here is knowledge, care or hurry, not a fact.
_IDLE = re.compile(
    r"\b(?:don't|do not|didn't|doesn't|won't|wouldn't|can't|cannot|couldn't|not) (?:know|think|"
    r"mind|remember|care|say|ask|worry|want to hear|recall|sure|be shy|believe|understand|both|"
    r"tell|decided|"
    r"settled|need to|matter|forget|figure)\b|\bweiß nicht\b|\bno (?:idea|worries|problem|joke|"
    r"matter|clue|doubt|rush|extension|favourites)\b|\bnot (?:a minute|now|sure|just|only)\b|"
    r"\b(?:is|are|was|that's|it's) not (?:true|right|correct|quite)\b|\bno (?:good|use)\b|\bneedn't (?:tell|ask|say|know)\b|"
    # "must not be above 160" is "at most 160": a limit
    r"\bnot (?:be )?(?:above|over|below|under|exceed\w*|longer than|higher than) (?:\w+ ){0,2}\d|"
    r"\bnot because\b|\bnot (?:what|how|where|why|when)(?:'s| is| it)?\b|\b(?:has|have|had)(?: not|n't) changed\b|"
    r"\bnobody (?:knows|noticed|minds|cares|asked|told)\b|\bno more$|"
    r"\bwhich is which\b|\bwithout\b|\bsans\b|\bohne\b|\bsin\b"
)
#: No side clause softens these.
_OUTRIGHT = re.compile(
    r"\bunder no circumstances?\b|\bon no account\b|\b(?:stays?|remains?|kept?) (?:sealed|shut|untouched)\b|"
    r"\bleav(?:e|ing) (?:[\w'-]+ ){1,4}?(?:out|off)\b|"
    r"\b(?:stays?|remains?|shall remain|will be|is|are) closed\b(?! (?:at|by|deal))"
)
#: "I should be grateful if nothing were sent" supposes nothing, it asks.
_WISHED = re.compile(r"\b(grateful|glad|obliged|appreciate it|happier|easier|kind|dankbar|froh) (?:if|wenn)\b")
_LOOK_UP = re.compile(r"\b(?:look (?:it |them |that |there|up|in)|instead of asking|don't memori[sz]e|regarder|nachschauen)\b")
_FIRST = 3  # words of a clause that can carry a fact


@remembered
def denies(statement: str) -> bool:
    """Whether ``statement`` as a whole forbids, excludes or denies."""
    words = _WISHED.sub(r"\1 that", plain(statement))
    if _OUTRIGHT.search(words):
        return True
    if not is_negated(words) or _LOOK_UP.search(words):
        return False
    clauses = [clause for part in _CLAUSES.split(words) if part and (clause := part.strip())]
    plain_ones = [c for n, c in enumerate(clauses) if not _ASIDE.match(c) and not (n and _CONTRAST.match(c))]
    carrying = [c for c in plain_ones if not _COMMENT.match(c)] or plain_ones or clauses
    first = next((c for c in carrying if len(c.split()) >= _FIRST), carrying[0] if carrying else words)
    if is_negated(first) and not _IDLE.search(first):
        return True
    return any(_forbids(clause, n) for n, clause in enumerate(clauses))


def _forbids(clause: str, n: int) -> bool:
    if _ASIDE.match(clause) or (n and _CONTRAST.match(clause)) or _IDLE.search(clause):
        return False
    return _FORBIDS.search(clause) is not None and is_negated(clause)
