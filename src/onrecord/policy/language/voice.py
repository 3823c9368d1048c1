"""The passive turned round, and words that mean the same: small steps that leave who does what to whom in place."""

from __future__ import annotations

from onrecord.policy.language.text import stem
from onrecord.policy.language.tokens import Token, TokenKind

_BE = frozenset("is are am was were be been being".split())
_PAST = frozenset("was were been".split())
_IRREGULAR = dict(
    pair.split(":")
    for pair in """written:write given:give taken:take made:make held:hold kept:keep sent:send paid:pay told:tell taught:teach
    bought:buy sold:sell
    built:build run:run led:lead fed:feed driven:drive eaten:eat drunk:drink seen:see known:know thrown:throw caught:catch
    cut:cut read:read sung:sing
    ridden:ride worn:wear chosen:choose broken:break found:find left:leave brought:bring hidden:hide beaten:beat bitten:bite
    drawn:draw flown:fly
    grown:grow shown:show spoken:speak stolen:steal won:win hung:hang swept:sweep set:set put:put hit:hit""".split()
)
#: Near enough to exchange in any sentence; words that only overlap in meaning are left out.
_GROUPS = """
mum mom mother| dad father| kid child| big large| small little| buy purchase| phone telephone| bike bicycle|
motorbike motorcycle| tv television| flat apartment| film movie| fridge refrigerator| couch sofa| rubbish garbage trash|
permitted allowed| forbidden prohibited banned| reside live| till until| everyone everybody| nobody no-one|
hate loathe detest| begin start| often frequently| maybe perhaps| ill sick| doctor physician| quick fast| vacation holiday|
colour color| favourite favorite| grey gray| neighbour neighbor| organise organize| centre center| theatre theater|
litre liter| metre meter| licence license| behaviour behavior| labour labor| flavour flavor| cancelled canceled|
travelled traveled| mobile cellphone| each every| postcode zipcode| onto on-to
"""
SYNONYMS = {word: group.split()[0] for group in _GROUPS.split("|") for word in group.split()}
_WORK_AS, _ARTICLES = ["i", "work", "as"], frozenset({"a", "an", "the"})
_PLURALS = dict(
    pair.split(":")
    for pair in "men:man women:woman children:child people:person feet:foot teeth:tooth mice:mouse lives:life".split()
)


def plain_words(found: list[Token]) -> list[Token]:
    """The tokens with irregular plurals and synonyms in one form each. Names keep their letters. Who works as something is it."""
    plain = [_plain(token) if token.kind is TokenKind.WORD else token for token in found]
    begin = [token.word for token in plain[:4]]
    return plain[:1] + plain[3:] if begin[:3] == _WORK_AS and begin[3:] and begin[3] in _ARTICLES else plain


def active(found: list[Token]) -> list[Token]:
    """ "X is managed by Y" as "Y manages X"; anything else, and a sentence of several clauses, as it is."""
    for at in range(len(found) - 2):
        verb = found[at + 1]
        if found[at].word in _BE and _is_participle(verb) and found[at + 2].word == "by":
            return _turned(found, at)
    return found


def _turned(found: list[Token], at: int) -> list[Token]:
    first = at
    while first > 0 and found[first - 1].word in _BE:
        first -= 1
    patient, verb, agent = found[:first], found[at + 1], found[at + 3 :]
    if not patient or not agent or any(token.after_break for token in found[1:]):
        return found
    past = any(token.word in _PAST for token in found[first : at + 1])
    root = verb.normal if past else "~" + stem(_IRREGULAR.get(verb.word, verb.word))
    return [*agent, verb._replace(normal=root), *patient]


def same_verb(passive: Token, other: Token) -> bool:
    """Whether a verb that was turned round is the present of the other one."""
    return passive.normal.startswith("~") and not other.word.endswith("ed") and stem(other.word) == passive.normal[1:]


def _is_participle(token: Token) -> bool:
    return token.word in _IRREGULAR or (token.word.endswith("ed") and len(token.word) > 4)


def _plain(token: Token) -> Token:
    normal, plural = token.normal, token.plural
    if token.word in _PLURALS:
        normal, plural = _PLURALS[token.word], True
    return token._replace(normal=SYNONYMS.get(normal, normal), plural=plural)
