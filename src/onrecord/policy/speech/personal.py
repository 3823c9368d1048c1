"""What somebody says of themselves: body, taste, time, plans and standing, and how they want an assistant to serve them."""

from __future__ import annotations

from onrecord.policy.language.pattern import regex

# --- how somebody wants to be served

# What an assistant hands over, in which form, and to whom. One word of a form alone says nothing ("the lists are in the drawer").
_WORK = (
    r"(?:reports|repl(?:y|ies)|answers?|summar(?:y|ies)|write-?ups?|recaps?|digests?|overviews?|notes|minutes|lists?|"
    r"fig(?:ure)?s|"
    r"plots?|charts?|graphs?|slides|tables?|etas?|updates?|status|mails?|emails?|messages|texts|code|diffs?|explanations?|"
    r"translations?|descriptions?|blurbs?|quotes?|numbers|prices|amounts|sums|totals|dates|times|plans?|schedules?|agendas?|"
    r"recipes?|directions|handouts?|sheets?|printouts?|anything|everything|berichte?|antworten?|antwort|listen?|"
    r"zusammenfassung\w*|"
    r"respuestas?|informes?|resúmenes|resumen|réponses?|rapports?|résumés?)"
)
_FORM = (
    r"(?:bullets?|bullet[- ]points?|(?:one|two|three|four|five|\d+) (?:short )?(?:lines?|sentences?|words?|paragraphs?|"
    r"bullets?|pages?)|"
    r"one[- ]liners?|short(?:er)?|brief(?:ly)?|(?:the )?(?:long|short) version|in full|at length|whole (?:table|works|thing|"
    r"story)|"
    r"(?:proper |full |plain )?(?:paragraphs|sentences|prose)|as a (?:table|list)|numbered|pdf|png|svg|csv|markdown|plain text|"
    r"emojis?|preamble|small talk|jargon|docstrings?|comments|adjectives|adverbs|screenshots?|footnotes|links?|headings?|"
    r"slowly|step by step|every step|line by line|one (?:by|at a) (?:one|time)|one under the other|read (?:it|them)? ?out|"
    r"(?:in|auf|en) (?:english|german|french|spanish|italian|dutch|portuguese|welsh|irish|deutsch|englisch|französisch|spanisch|"
    r"español|inglés|français|anglais|allemand)|(?:large|big|bigger) (?:print|type|letters|font)|\w+ point\b|capitals|"
    r"lower ?case|"
    r"24[- ]?h(?:our)?s?|12[- ]?h(?:our)?s?|am/pm|metric|celsius|fahrenheit|kilomet(?:er|re)s|whole (?:dollars|euros|pounds|"
    r"numbers)|"
    r"cents|to the penny|decimals?|rounded|percent\w*|(?:bottom line|number|result|answer|worst|colou?r|bad news) (?:first|"
    r"in front)|"
    r"first line|only the \w+|just the \w+|nothing else|kurz|ausführlich|stichpunkte?n?|ganze sätze|tabelle|"
    r"cort[oa]s?|larg[oa]s?|en frases|viñetas|phrases entières)"
)
_ADDRESSED = (
    r"(?:(?:when(?:ever)?|if|anything|whatever|things|what|all) (?:that )?(?:yo)?u (?:write|send|make|give|show|tell|explain|"
    r"report|"
    r"answer|reply|read|draft|text|mail|list|summari[sz]e|print|code|translate)|when(?:ever)? i ask|if i ask|"
    r"(?:write|give|show|send|tell|read|explain|draft|print|make|list|answer|say)(?: \w+){0,2} (?:to|for) me|"
    r"(?:write|give|show|send|tell|read|explain|answer|draft|say) (?:me|it|them|things)|"
    r"\b(?:to|for) me:|(?:reports?|lists?|graphs?|etas?|notes?|figures?|numbers?|summar(?:y|ies)) (?:to|for) me|i (?:want|need|"
    r"like|"
    r"prefer|'d like|'d rather (?:see|have|read)) (?:it|them|my|the|your)?|(?:your|my) (?:last )?(?:reports?|repl(?:y|ies)|"
    r"answers?|"
    r"lists?|summar(?:y|ies)|write-?ups?|notes)|schreib(?:en sie)? mir|erklär\w*|antworte?\w*|gib mir|zeig\w* mir|escr[íi]beme|"
    r"respóndeme|explícame|réponds?(?:-moi)?|écris-moi|donne-moi|explique-moi)"
)
_NEAR = r"[^.!?\n]{0,80}?"
#: In which form somebody wants what an assistant hands them.
SERVED = regex(
    rf"\b{_WORK}\b{_NEAR}\b{_FORM}(?!\w)|\b{_FORM}(?!\w){_NEAR}\b(?:{_WORK}|{_ADDRESSED})\b|"
    rf"\b{_ADDRESSED}\b{_NEAR}\b{_FORM}(?!\w)"
    r"|に(?:して|書いて)ください|で(?:書いて|答えて)(?:ください)?"
)


def asks_to_be_served(words: str) -> bool:
    """Whether ``words``, in lower case with plain apostrophes, say in which form somebody wants what an assistant hands them."""
    return SERVED.search(words) is not None


# --- what is said of oneself

_BODY = (
    r"(?:chest|tubes|knees?|hips?|back|asthma|allerg(?:y|ies)|lungs?|heart|valve|diabetes|migraines?|medication|pills?|tablets|"
    r"adhd|dyslexia|epilepsy|condition|operation|pregnancy|eyes|hearing|skin|wrists?)"
)
_OWN = regex(
    r"(?<!not )(?<!said so )(?<!said )\b(?:for|to) me\b(?! (?:to|at)\b)|\b(?:you (?:write|send|give|show|make|tell)|(?:don't|"
    r"never|please|always|just) (?:call|text|mail|ping|address|write|send|show|give)|when you \w+) (?:for )?me\b"
    r"|\bi(?: really| still| now)? (?:can (?:go|only|sign|approve|do|come|work|put in)|can't (?:stand|"
    r"eat|drink|do|come|work|sleep|hear|see|read)|need|prefer|like|love|hate|dislike|work|live|"
    r"eat|drink|sleep|wake|start at|finish at|teach|study|"
    r"go by|don't (?:eat|drink|drive|do|work|like)|never (?:eat|drink|work|pick)|would rather|'d rather|won't (?:eat|work|do))\b"
    r"|\b(?:i'm|i am) (?:on (?!it|the way|my way)|off (?:on|every)|allergic|vegan|vegetarian|a \w+|"
    r"down to|up to|left-handed|colou?r|leaving|retiring|moving (?!on\b|house|the)|pregnant|not (?:looking|taking|working|"
    r"answering|free)|"
    r"away (?:from|until|till|through|for|on)|only (?:here|in|around|free)|doing (?:a|my))\b|\bi've (?:moved to|switched to|"
    r"gone)\b"
    r"|\bas for me\b|\bunlike (?:him|her|them)\b|\bif i (?:don't|do not|dont) (?:pick up|answer|reply)\b"
    r"|\bmy (?:own commission|name|birthday|pronouns|phone|number|email|mail|desk|shifts?|hours|"
    r"diet|allergy|glasses|eyes|commute|calendar|backup|deputy|stand-in|limit|approval)\b"
    # one's body, what it bears and who looks after it; one's own time and plans
    r"|\bi (?:come|came|break|broke) (?:up|out) in\b|\bmakes? me (?:break out|sick|ill|sneeze|itch|swell|faint|dizzy)\b"
    r"|\bi(?: was| got|'ve been| have been) diagnosed\b|\bhas me on (?:the|a)\b"
    r"|\b(?:last time i|i never (?:so much as )?(?:lift|touch|handle|carry))\b|\bi (?:can't|cannot|can not|won't|"
    r"mustn't) (?:take|lift|carry|touch|"
    r"handle|make|drive|climb|bend|be)\b|\bi(?:'m| am) (?:not )?(?:supposed|allowed) to\b|\bi(?:'m| am) (?:expecting|applying)\b"
    r"|\bi(?:'ve| have) (?:applied|put in) for\b|\bi(?:'d|d| would) take \w+ over\b"
    r"|\b(?:telephone|phone|ring|call|text|mail|ping|page|reach|wake) me\b(?! (?:back|tomorrow|today|now|later|when)\b)|"
    r"\bi want [\w ]{1,20} from you\b"
    rf"|\bmy (?:partner and i|lectures|{_BODY}|own (?:mobile|phone|number))\b|\bi (?:was )?(?:have|got|had) (?:a \w+ |"
    rf"an? )?{_BODY}\b"
    r"|\bof mine\b"
    r"|\bich (?:vertrage|vertrag|kann (?:nicht|nur|kein)|darf (?:nicht|nur|kein))\b|\bkann ich (?:nicht|nur|kein)|"
    r"\bje ne (?:peux|supporte)\b"
    r"|\bno puedo (?:comer|tomar|beber|coger|trabajar|ir|cargar|levantar)\b"
    r"|\bfür mich\b|\bich (?:bin|mag|esse|trinke|brauche|arbeite|hasse|nehme|lerne|wohne)\b|\bmir (?:bitte|immer|lieber|nie)\b"
    r"|\bpara m[íi]m?\b|\bme llam[áa]\w*|\bllám[ae]me\b|\bsoy (?:celíac|alérgic|vegan|vegetarian|diabétic|de |el |la )\w*|"
    r"\bvivo en\b|"
    r"\btrabajo (?:en|de|los|las)\b|\bnão (?:posso|como|bebo|trabalho|escrevo|conduzo)\b|\bme levanto\b"
    r"|\bpour moi\b|\bje (?:suis|préfère|déteste|travaille|mange|bois)\b|\bm(?:on|es) (?:genou|dos|asthme|allergie|horaires?)\b"
    r"|私[はの]|僕[はの]|妊娠|(?:入|出|食べ|飲め|運|行|読)\w{0,2}(?:れ|べ|け|め)ません"
)
#: Said by several of all of them. "Nobody here knows yet" is no such word: what follows is one person's own.
_TOGETHER = regex(r"\b(?:we|us|our|ours|everyone|everybody|the team|all of us|wir|uns|unser\w*|nosotros|nous|notre|nos)\b")


def speaks_of_self(words: str) -> bool:
    """Whether ``words`` say something of their speaker alone, rather than of a thing, a house or a team that they speak for."""
    return _OWN.search(words) is not None and _TOGETHER.search(words) is None


def own_matter(words: str) -> bool:
    """Whether what ``words`` say belongs to their speaker: their own state, or how they want to be served."""
    return speaks_of_self(words) or asks_to_be_served(words)
