"""Whether a sentence as a whole says that something must not happen or is not so.

Two sorts of words count: negators (``not``, ``never``, ``nobody``), of which several in one clause still negate once, and
predicates that are negative by themselves (``hate``, ``refuse``, ``forbidden``), which a negator turns round. Words that look
negative and are not ("not only", "no problem", "can't wait", "not until 9") are taken out first, and so are side clauses.
"""

from __future__ import annotations

from onrecord.policy.language.pattern import regex
from onrecord.policy.language.remembered import remembered

_AUX = r"(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|must|need|ai)"
#: A phrase in here says nothing about the truth of its sentence.
_IDIOMS = regex(
    # assent, courtesy, talk
    r"^\W*(?:no|nope|nah|nein|non|nee|não|нет)(?=\s*[,.!;:…—–-])|(?<=[.!?;] )(?:no|nope|nah|nein|non)(?=\s*[,.!])"
    r"|\bno (?:problem\w*|worr(?:y|ies)|doubt|wonder|idea|matter|thanks|thank you|sooner|kidding|way around|big deal|"
    r"offen[cs]e|rush|hurry|pressure|joke|harm)\b"
    r"|\b(?:never mind|nevermind|no,? no|or not|or no|if not|why not|not to mention|not to worry|not at all a problem|not a "
    r"problem|not an issue|no issue)\b"
    r"|\bwhy (?:don't|doesn't|not)\b|\b(?:don't|do not|doesn't|didn't) (?:worry|mind|hesitate|forget|you think|bother me)\b"
    r"|\bcan(?:'t|not| not) (?:wait|help|complain|thank|stress|overstate|recommend|go wrong|say no)\b|\bcouldn't (?:agree|be "
    r"happier|ask|care less)\b"
    r"|\bnothing (?:wrong|special|new) (?:with)?\b|\bnot (?:too |so |half )?bad\b|\bnot un\w+|\bnot (?:without|for nothing)\b|"
    r"\bnever not\b|\bcan't not\b"
    rf"|,\s*{_AUX}(?:n't| not) (?:it|he|she|they|we|you|i|that|there)\b(?=\s*\?|\s*$)|,\s*(?:no|not|oder nicht|¿no|nicht wahr|"
    rf"nicht|ne|n'est-ce pas)\s*\?"
    r"|\bwithout (?:a )?(?:fail|doubt|question|problems?|issues?|exceptions?)\b|\bno exceptions?\b|\bno\.? ?(?=#?\d)"
    # more than, at most, only, until: limits and exclusiveness, not denials
    r"|\b(?:no|not|nothing|never) (?:only|just|merely|simply|but)\b|\bnot (?:a |an |one )?(?:\w+ )?(?:more|less|fewer|later|"
    r"earlier|longer)(?: than)?\b"
    r"|\bno (?:more|less|fewer|later|earlier|sooner|longer|higher|lower|bigger|smaller) than\b|\bnot (?:until|till|before)\b"
    r"|\b(?:is|are|was|were|be)(?:n't| not) (?:\w+ ){1,3}(?:until|till|before)\b"
    r"|\b(?:nobody|no one|no-one|nothing|nowhere|none|no) (?:else|other)\b|\bnone other\b|\bif nothing else\b"
    r"|\b(?:whether|anything|everything|something|things?|those|people|anyone|everyone|somebody|someone) (?:that|who)(?:'s| is|"
    r" are)? not\b[^,.;!?]{0,60}"
    # German
    r"|\bnicht (?:nur|bloß|zuletzt|wahr|umsonst|schlecht|übel)\b|\b(?:kein|keine) (?:problem\w*|sorgen?|ahnung|zweifel|frage|"
    r"eile|stress|thema|ausnahmen?)\b"
    r"|\b(?:warum|wieso|ob|oder) nicht\b|\b(?:nicht|keine?) (?:mehr|länger|später|früher|weniger) als\b|\bnichts (?:als|"
    r"anderes)\b|\bohne (?:zweifel|frage|problem\w*|weiteres)\b"
    r"|\bnicht vergessen\b|\bvergiss nicht\b|\bniemand (?:sonst|anderer|anders)\b"
    # Spanish, Portuguese
    r"|\bno (?:s[oó]lo|solamente|únicamente|hay (?:problema|duda|prisa)|pasa nada|importa|te preocupes|se preocupe|olvides|"
    r"olvide|dudes)\b|\bno (?:más|menos) (?:de|que)\b"
    r"|\bsin (?:duda|problemas?|falta|embargo)\b|\b(?:por qué|cómo|si) no\b|\bde nada\b|\bnada (?:más|menos)\b|\bno antes de\b"
    # French
    r"|\bpas (?:seulement|que|mal|de (?:problème|souci|soucis|panique)|avant|plus (?:de|que|tard)|moins de)\b|\b(?:pourquoi|"
    r"faux|ou) pas\b|\bn'est-ce pas\b"
    r"|\bsans (?:doute|problème|faute|souci)\b|\bn'importe \w+|\bde rien\b|\bn'(?:oublie|oubliez|hésite|hésitez) pas\b|\bne "
    r"t'inquiète pas\b"
    # Japanese, Chinese
    r"|かもしれ(?:ない|ません)|(?:なければ|なくては|ないと|なきゃ|ねば)(?:なら(?:ない|ず|ぬ)|なりません|いけない|いけません|だめ|ダメ)?|(?:だけ|ばかり)(?:で(?:は)?な(?:く|い)|じゃな(?:く|い))"
    r"|す[みい]ません|問題(?:は)?(?:ない|ありません)|間違い(?:は)?(?:ない|ありません)|構(?:わない|いません)|(?:じゃ|では)(?:ない|ありません)(?:です)?か|ませんか|(?:くれ|もらえ)ない|しかない"
    r"|少ない|危ない|切ない|もったいない|申し訳(?:ない|ありません)|とんでもない|つまらない|忘れないで"
    r"|不(?:仅|僅|但|只|过|過|错|錯|久|同|少|断|斷|管|论|論|得不|用谢|用謝)|没(?:关系|问题|事)|沒(?:關係|問題|事)|差不多|无论|無論|对不起|對不起|(?:特|分|区|區|级|級|性|个|個|告)[别別]|"
    r"[别別](?:人|的|墅)|(.)不\1"
)
#: Side clauses: what is only supposed, or gives a reason, a time or a which, is not what the sentence says.
_SIDE = regex(
    r"\b(?:if|unless|because|cause|since i|since we|when|whenever|while|although|though|even though|in case|where|who|whose|"
    r"which|as long as|wenn|weil|falls|obwohl|während|da ich|"
    r"si|porque|cuando|aunque|parce que|quand|lorsque|bien que|puisque)\b(?:(?!\b(?:so|but|please|then)\b)[^,;.!?:—–\n])*"
)
_CLAUSE = regex(r"[;:.!?,()\n。、！？；，]|\s[—–-]\s|\b(?:but|however|aber|pero|mais|and|so|und|sondern)\b")
_CONTRAST = regex(r"^\s*(?:not|nicht|pas)\s+(?!a\b|any|ever|every|all|to\b|be\b|do\b|in\b|on\b|at\b)[\w'-]+(?:\s+[\w'-]+)?\s*$")

_NEGATORS = regex(
    r"\b(?:not|no|never|none|nobody|no-one|nothing|nowhere|neither|nor|cannot|without|zero|hardly|scarcely|nay)\b|n't\b|"
    r"\b(?:dont|doesnt|didnt|cant|wont|isnt|arent|wasnt|shouldnt|wouldnt|couldnt)\b"
    r"|\b(?:nicht|nichts|nie|niemals|niemand\w*|nirgends|nirgendwo|ohne|weder|kein\w{0,2})\b"
    r"|\b(?:nunca|jamás|nadie|nada|ningun[oa]s?|ningún|tampoco|não|niet|geen|nooit|nigdy)\b"
    r"|\b(?:pas|jamais|rien|aucune?s?|nulle part|ne \w+ plus|n'\w+ plus)\b|\b(?:ne |n')\w+ personne\b|\bpersonne ne\b"
    r"|\b(?:не|нет|никогда|нельзя)\b"
)
_LOCAL = (
    (regex(r"\bsin\b"), regex(r"\b(?:el|la|los|las|del?|que|un|una|es|con|por|para|mi|me|se|café|té)\b")),
    (regex(r"(?<!-)\bsans\b(?!-)"), regex(r"\b(?:le|la|les|du|des?|une?|est|et|je|il|elle|mon|ma|mes)\b")),
    (regex(r"\bnon\b(?!-)"), regex(r"\b(?:mi|il|lo|di|che|è|per|sono|gli|mangio|voglio|piace|ho)\b")),
)
_JAPANESE = regex(r"ない|なく|なかった|ません|ずに|ぬ(?=[。、\s]|$)|な(?=[。！!]|$)")
_CHINESE = regex(r"[不没沒未无無勿别別]")
_KOREAN = regex(r"않|없|못|지 ?마|(?<!\w)안 ")
_KANA = regex(r"[\u3041-\u30ff]")

#: Predicates that say no by themselves.
_PREDICATES = regex(
    r"\b(?:hate[sd]?|loathes?|detests?|dislike[sd]?|despises?|abhors?|refuse[sd]?|avoid(?:s|ed|ing)?|forbids?|forbidden|"
    r"forbade|prohibit(?:s|ed)?|disallow(?:s|ed)?|bans?|banned|"
    r"impossible|unable|unwilling|lacks?|verboten|rule[sd]? out|steer(?:s)? clear|off[- ]limits|off the table|out of the "
    r"question|"
    r"(?:stay|stays|keep|keeps|stayed|kept) (?:(?:me|it|them|him|her|us|everyone|\w+) )?(?:away from|out of|off)|"
    r"hass(?:e|t|en)|verabscheue?n?|vermeide[nt]?|meide[nt]?|untersagt|tabu|weigert?|"
    r"odi[oa]s?|odian|detest[oae]\w?|evit[oae][rns]?|prohibid[oa]s?|prohíb\w+|rechaz[oa]\w?|déteste\w*|hais|évite[zr]?s?|"
    r"interdite?s?|refuse[zr]?)\b"
    r"|^\s*(?:please )?(?:stop|quit) \w+ing\b|\b(?:quit|gave up|stopped|given up|gives up) (?:\w+ing|eating|smoking|"
    r"drinking)\b|\b(?:anything but|far from being)\b"
    r"|嫌い|きらい|苦手|禁止|だめ|ダメ|駄目|不要|讨厌|討厭|拒绝|拒絕|싫어|금지"
)
#: A text without any of these is not negated; most are not.
_SIGNS = (_NEGATORS, _PREDICATES, _JAPANESE, _CHINESE, _KOREAN, regex(r"\b(?:sin|sans|non|no)\b"))
_FORMER = regex(r"\bused to\b|\bfrüher (?:mal )?\w+|\bsolía\b")


@remembered
def is_negated(text: str) -> bool:
    """Whether ``text`` as a whole says that something must not happen or is not so. Never raises.

    Limits ("at most 40", "not until 9", "only") and contrasts ("tea, not coffee") are not negations; dislikes and
    prohibitions are; a double negation is none. English, German, Spanish, French, Japanese, Chinese, and common words of others.
    """
    lowered = text.casefold().replace("’", "'")
    if not any(pattern.search(lowered) for pattern in _SIGNS):
        return False
    plain = _IDIOMS.sub(" ~ ", lowered.replace("`", ""))
    main = _SIDE.sub(" , ", plain)
    kana = _KANA.search(main) is not None
    clauses = [clause for clause in _CLAUSE.split(main) if clause.strip()]
    return any(_is_negative(c, kana) for i, c in enumerate(clauses) if i == 0 or not _CONTRAST.match(c))


def _is_negative(clause: str, kana: bool) -> bool:
    if _FORMER.search(clause):
        return False
    negator = _NEGATORS.search(clause) is not None or _is_local(clause) or _is_eastern(clause, kana)
    predicates = len(_PREDICATES.findall(clause))
    return negator != (predicates % 2 == 1)


def _is_local(clause: str) -> bool:
    return any(word.search(clause) and tongue.search(word.sub("", clause)) for word, tongue in _LOCAL)


def _is_eastern(clause: str, kana: bool) -> bool:
    if kana:
        return _JAPANESE.search(clause) is not None
    return _CHINESE.search(clause) is not None or _KOREAN.search(clause) is not None
