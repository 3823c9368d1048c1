"""Statements that are lasting on their face: who somebody is, what they like, what is always or never to be done, or decided.

They need no weighing: what plain speech says of itself is believed, unless the sentence is also bound to a moment ("today", "this
time"), which the weighing then decides.
"""

from __future__ import annotations

import re

from onrecord.policy.gate.oneself import NO_STATE, OPENING, tells_of_oneself
from onrecord.policy.language.text import fold

_WHO = r"(?:i|we)"
_AM = r"(?:i am|i'm|im|we are|we're)"
_KIN = r"(?:wife|husband|partner|manager|boss|sister|brother|son|daughter|mother|father|dog|cat|doctor|team)"
_TAG = r"(?:birthday|pronouns|badge|employee|phone|mobile|email|address|job|title|role)"
_TOOL = r"(?:test|build|deploy|lint|default|preferred|main|primary)"
_USE = r"(?:eat|drink|take|use|work|fly|drive|deploy|order|buy|wear)"
_HEALTH = (
    r"(?:allergic|intolerant|vegetarian|vegan|coeliac|celiac|diabetic|left-handed|right-handed|colou?r-?blind|deaf|pregnant)"
)
_PASSING = r"(?:problem|issue|fan|priority|surprise|risk|burden|bother|threat)"
_KEEP = r"(?:remember|note|keep in mind|bear in mind)"
_SAYS = (
    rf"{_KEEP} (?:that|:)|for the record[,:]",
    rf"my name is {NO_STATE}|{_AM} (?:not )?{_HEALTH}\b",
    rf"{_WHO} (?:now )?(?:live|work) (?:in|at|for|as|with)\b|i speak \w+",
    rf"my {_TAG}\b.{{0,30}}? (?:is|are) {NO_STATE}|my {_KIN}(?: \w+)? (?:is {NO_STATE}|(?:lives|works|has)\b)",
    rf"my {_KIN}(?: \w+)? (?:isn't|is not) {NO_STATE}(?:an? (?!{_PASSING}\b)\w|{_HEALTH}\b|"
    r"(?:married|employed|retired|religious|bilingual)\b)",
    rf"{_AM} not an? {_HEALTH}\b",
    rf"{_WHO} (?:do not|don't) want (?:the|any|your) [\w' -]{{3,30}}? (?:any ?more|any longer)(?:$|[.,;])",
    rf"(?:my|our) {_TOOL} \w+ (?:is|are)\b",
    rf"{_WHO} (?:really |usually |generally |always |never |only |much )?(?:prefer|hate|dislike|loathe|"
    rf"detest|can't stand|can ?not stand|avoid|(?:do not|don't) like|would rather(?: not)?)\b",
    rf"{_AM} not keen on\b|{_WHO} (?:do not|don't) want \w+ (?:before|after|on|in the|at|from|about)\b",
    rf"{_WHO} (?:can't|cannot|don't|do not|never|only|always|usually|mostly) {_USE}\b",
    r"i take \w+ (?:every|each|twice|once)\b|my favou?rite\b.{0,40}? (?:is|are)\b",
    r"(?:always|never(?! mind| been| had| seen|,)|don't ever|do not ever|from now on|going forward)\b",
    r"decided (?:to|on|against)\b|i (?:just |have |'ve |recently )?(?:started|begun|got a job) (?:at|as)\b",
    rf"{_WHO} (?:have |'ve )?(?:decided|agreed|settled on|chose|standardi[sz]ed)\b|{_WHO} use \w+.{{0,20}}, not \w+",
    rf"{_WHO} (?:have |'ve )?(?:moved to|switched to|no longer|quit|stopped)\b",
    r"(?:the|our|this|that) [\w' -]{2,40}? (?:only works|works only|never works|fails|breaks) (?:if|"
    r"when|after|with|without|unless|for|on)\b",
    # the same in German, Spanish and French (accents are folded)
    r"ich (?:heisse|wohne in|lebe in|arbeite (?:bei|als|in)|esse (?:kein|nie|nur)|trinke (?:kein|"
    r"nie|nur)|mag (?:kein|nur)|vertrage (?:kein|nicht))",
    r"ich bin (?:vegetarier|vegetarierin|veganer|veganerin|linkshander|[\w ]{0,30}allergisch)|"
    r"(?:bitte )?(?:immer|nie|niemals|ab jetzt|ab sofort)\b|wir haben (?:beschlossen|entschieden|"
    r"uns geeinigt)",
    r"(?:me llamo|vivo en|trabajo (?:en|como|para)|soy (?:alergic[oa]|vegetarian[oa]|vegan[oa]|"
    r"celiac[oa])|no (?:como|bebo)|siempre|nunca|a partir de ahora|hemos decidido|prefiero)\b",
    r"(?:je m'appelle|j'habite (?:a|en)|je travaille (?:a|chez|dans|comme)|je suis (?:allergique|"
    r"vegetarien|vegetarienne|vegan|intolerant|intolerante)|je ne (?:mange|bois) (?:pas|jamais)|"
    r"toujours|jamais|desormais|"
    r"on a decide|nous avons decide|je prefere)\b",
)
_PLAIN = re.compile(OPENING + "(?:" + "|".join(_SAYS) + ")")
# Of oneself: "remember that summer in Rome" asks for nothing.
_ASKED = re.compile(OPENING + rf"{_KEEP} that (?:i|we|my|our)\b")
# Said in passing, and plain all the same: what did harm and is never to come back; a habit and what follows from it; what is
# always done one way and never the other.
_IMPLIED = re.compile(
    r"\b(?:always|immer|siempre|toujours)\b.{2,60}[,;] (?:and |und |y |et )?(?:never|nie|nunca|jamais)\b (?!again)|"
    r"\b(?:gave (?:me|him|her|us)|made (?:me|him|her|us)|broke me out|came out in|ended up in|"
    r"allerg\w+|hives|rash|sick|cracked|flooded|leaked)\b.{0,80}\bnever again\b"
    r"|\b(?:mornings|evenings|afternoons|nights|lunchtimes|weekends|(?:mon|tues|wednes|thurs|fri|"
    r"satur|sun)days) (?:are|is|i'm|i am|we're|i mind|i have|i do|i teach|i work)\b"
    r".{2,60}[,;–-] ?(?:so|hence|therefore)\b.{0,30}\b(?:after|before|not|no|never|only|until|from|nothing)\b"
)
# Japanese and Chinese are read as written: folding would take the voicing marks off.
_EASTERN = re.compile(
    r"(?:いつも|毎(?:日|週|月|朝|晩|回)|必ず|ずっと|絶対に?|今後).{1,40}(?:ください|です|ます|ません|せん|下さい|から|ので)|アレルギー(?:が|"
    r"なので|です)|(?:住んで|飼って|働いて|勤めて)(?:い|お)ます|"
    r"(?:食べ|飲み|使い|乗り)(?:ません|られません)|(?:わ|さ|め|べ|ば|け|し)ないで(?:ください|下さい)|名前は.{1,20}です|(?:が|は)(?:苦手|"
    r"嫌い|だめ|食べられません)|に(?:決めました|変わりました|なりました)|"
    r"请(?:一直|记住|总是|永远)|(?:对|對).{1,8}(?:过敏|過敏)|以后.{0,10}(?:请|都)|我(?:不吃|不喝|住在|叫)"
)
_EASTERN_MOMENT = re.compile(
    r"今日|今回|今だけ|今、|明日|昨日|さっき|ちょっと|[?？]|ですか|ますか|もし|かもしれ|たら|今天|明天|昨天|现在|吗"
)
_MOMENT = re.compile(
    r"\b(?:heute|gerade|diesmal|hoy|esta vez|aujourd'hui|cette fois|today|tonight|right now|at the moment|"
    r"this (?:time|once|morning|evening|afternoon|week)|just now|currently)\b"
    r"|[?]|\b(?:lol|haha|kidding)\b"
)


#: A question and the yes that makes its content a rule, as capture joins them.
_AGREED = re.compile(
    r"[?] – (?P<reply>.*\b(?:rule|always|every \w+|from now on|going forward|standing|permanently|for good|regel|immer|"
    r"siempre|toujours)\b.*)"
)


def asks_to_keep(statement: str) -> bool:
    """Whether the statement asks that what it says of its speaker be remembered: who asks has weighed it already."""
    return bool(_ASKED.match(fold(statement).replace("’", "'").strip()))


def is_plain(statement: str) -> bool:
    """Whether the statement says something lasting in plain words, without being bound to the moment."""
    words = fold(statement).replace("’", "'").strip()
    if _EASTERN.search(statement):
        return not _EASTERN_MOMENT.search(statement)
    agreed = _AGREED.search(words)
    if agreed:
        return not _MOMENT.search(agreed["reply"])
    said = _PLAIN.match(words) or _IMPLIED.search(words) or tells_of_oneself(statement, words)
    return bool(said) and not _MOMENT.search(words)
