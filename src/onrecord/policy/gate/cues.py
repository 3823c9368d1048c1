"""What lasts: the surface of rules, tastes, limits, identities, places and changes, and of what is only so today.

The same form as ``speech_cues``: one linear regular expression a cue, over text in lower case with plain apostrophes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from onrecord.policy.language.pattern import regex

_DAY = r"(?:mon|tues?|wednes|wed|thurs?|fri|satur|sat|sun)(?:day)?"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|"
    r"januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|"
    r"julio|septiembre|octubre|noviembre|diciembre|"
    r"janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre)"
)
_UNIT = (
    r"(?:%|percent|per ?cent|prozent|€|\$|£|eur|euros?|usd|cad|gbp|dollars?|bucks|quid|kg|kilos?|"
    r"g|grams?|lbs?|pounds?|m|cm|mm|km|miles?|metres?|meters?|feet|ft|inch(?:es)?|"
    r"l|lit(?:er|re)s?|ml|cups?|min|mins|minutes?|hours?|hrs?|h|days?|weeks?|months?|years?|degrees?|"
    r"°c?|am|pm|a\.m\.|p\.m\.|uhr|watts?|kwh|"
    r"people|persons?|seats?|pieces?|guests?|requests?|times|bullets?|lines?|words?|pages?|stunden|"
    r"tage|wochen|grad|días|horas|jours|heures)"
)

LASTING: Mapping[str, str] = MappingProxyType(
    {
        "always": r"\b(?:always|every (?:time|day|night|morning|week|month|year|evening|single|\w+day)|each (?:time|"
        r"day|week|month)|all the time|at all times|whenever|any ?time|"
        r"by default|as a rule|in general|generally|permanently|for good|for life|standing|forever|"
        r"no matter|regardless|without exception|no exceptions?|until further notice|"
        r"immer|jedes mal|jeden|jede|grundsätzlich|generell|für immer|siempre|cada|en general|toujours|"
        r"chaque|en général|à chaque fois)\b|いつも|毎(?:日|週|回|朝|月)|必ず",
        "from_now": r"\b(?:from (?:now|here|today|this point) on(?:wards?)?|from now|going forward|from here|henceforth|"
        r"in (?:the )?future|next time|"
        r"starting (?:today|now|\w+day)|effective|as of|since|these days|nowadays|new rule|ab (?:jetzt|"
        r"sofort|heute)|von nun an|künftig|seit|"
        r"a partir de|desde|de ahora en adelante|à partir de|désormais|dorénavant|depuis)\b|これから|今後",
        "never": r"\b(?:never|not ever|don't ever|no longer|not any ?more|any ?more|niemals|nie|nunca|jamás|"
        r"jamais|ne \w+ plus|not (?:once|at all))\b|決して|絶対",
        "never_order": r"(?:^|[.,;:!\n(–-]\s{0,3}|\b(?:please|and|so|but|ok|house|to)\s)(?:never|don't ever|do not ever|"
        r"don't|do not|no more|avoid|stop|not) (?!know|think|worry|care|mind|forget|"
        r"remember|like|have|want|need|get me|ask me|even|tell anyone|you|i\b|sure|bad|yet|now|today|really|too|that|quite)\w+",
        "bare_no": r"(?:^|[.,;:!\n(–-]\s{0,3}|\b(?:and|so|but|means)\s)no (?!worries|problem|idea|thanks|thank|"
        r"one knows|rush|clue|offence|offense|no\b|it|i\b|that|really|wait|need|hurry|way|luck|joke|"
        r"kidding|comment|harm|"
        r"more questions|reply|news|not|you|we|he|she|they|the)\w+",
        "only": r"\b(?:only|solely|exclusively|nothing (?:but|else|over|above|after|before|is|gets|goes|leaves|"
        r"comes)|nobody|no one|none|nowhere|nur|ausschließlich|solo|sólo|solamente|nadie|seulement|"
        r"uniquement|personne)\b|だけ|のみ",
        "must": r"\b(?:must|mustn't|must not|has to|have to|had better|needs to|need to be|is to be|are to be|"
        r"shall|required?|requires|mandatory|not allowed|aren't allowed|isn't allowed|forbidden|"
        r"banned|off[- ]limits|off the table|out of bounds|supposed to|not permitted|prohibited|ought to|"
        r"stays? (?:away|out|off|low|closed|shut|as)|keep (?:it|them|me|everything|all)|"
        r"muss|müssen|darf|dürfen|soll(?:en)?|verboten|debe[ns]?|hay que|tiene[ns]? que|prohibido|"
        r"doit|doivent|il faut|interdit|défense)\b|なければ|ないで|禁止",
        "cannot": r"\b(?:can't|cannot|can not|couldn't|won't|am not able|isn't able|not able|unable|doesn't (?:work|"
        r"fit|do|open|take|accept|eat|drink|like|see|allow|support|run)|"
        r"don't (?:eat|drink|do|use|take|work|like|want|have|own|drive|speak|accept|allow|need)|kann (?:nicht|"
        r"kein)|vertrage|no puedo|no puede|ne peut pas|ne peux pas)\b|できない|られない",
        "limit": r"\b(?:at most|no more than|not more than|max|maximum|minimum|min|at least|at the most|up to|"
        r"limit(?:s|ed)?|cap(?:ped)?|ceiling|tops|or less|or more|under|above|over|below|beyond|"
        r"exactly|within|not (?:before|after|a minute|over|under)|no later than|höchstens|mindestens|"
        r"maximal|como máximo|al menos|máximo|au (?:plus|moins)|maximum)\b|以上|以下|まで",
        "prefer": r"\b(?:prefer(?:s|red|ence)?|rather|sooner|favou?rite|like (?:my|it|them|to|when|the)|i like|"
        r"i love|loves|i hate|i dislike|can't stand|cannot stand|loathe|detest|fan of|into|"
        r"works? (?:best|better|well)|suits?|best (?:for|in|at|on|before|after)|better (?:for|in|with|"
        r"cold|if|than)|fond of|keen on|allergic to|go[- ]to|usual|partial to|not a \w+ person|"
        r"am a \w+ person|lieber|am liebsten|mag|bevorzuge|prefiero|me gusta|me encanta|odio|préfère|"
        r"j'aime|adore|déteste)\b|好き|嫌い|がいい",
        "want": r"\b(?:i|we|they|he|she|customer|client) (?:want|wants|need|needs|'d like|would like)\b|\bneeds?\b|"
        r"\bwants?\b|\bbrauch\w*|\bnecesito|\bj'ai besoin",
        "i_am": r"\b(?:i'm|i am|we're|we are) (?:a|an|the|on|in|at|from|based|allergic|vegan|vegetarian|diabetic|"
        r"coeliac|celiac|left-handed|colou?r|dyslexic|deaf|pregnant|lactose|gluten|"
        r"responsible|in charge|down to|up at|off|not a)\b|\bich bin\b|\bsoy\b|\bje suis\b|です$",
        "i_do": r"\bi (?:work|live|own|have|use|take|run|teach|study|play|drive|speak|eat|drink|sleep|wake|"
        r"get up|start|finish|mind|manage|keep|cook|commute|train|swim|run|read|"
        r"write|pay|rent|share|sing|travel|fly|cycle|walk|grow|hold|go by|go to|come from|only|usually|"
        r"normally|always|never|can only|can't|cannot|don't|won't)\b|"
        r"\bwe (?:use|have|run|keep|take|pay|split|rent|own|eat|live|work|meet|close|open|do|don't|"
        r"never|always|only|sleep|share|ship|bill|store|go)\b|\bich (?:arbeite|wohne|habe|esse|trinke|"
        r"nehme|lerne)\b|"
        r"\b(?:trabajo|vivo|tengo|uso|como en|estudio)\b|\bje (?:travaille|habite|prends|mange|bois)\b|"
        r"\bj'(?:ai|habite|utilise)\b",
        "my_is": r"\b(?:my|our|their|his|her|its|the|your) (?:[\w'-]+ ){1,4}(?:is|are|isn't|aren't|was|goes|"
        r"lives|sits|stays|has|have|works|runs|opens|closes|starts|ends|takes|costs|comes|uses|needs|"
        r"wants|belongs|"
        r"means|stands|expires|allows?|only|must|never|always|gets|holds|keeps|requires|covers|pays?|"
        r"signs?|reports?)\b|\b(?:mein|meine|unser|unsere) \w+ (?:ist|heißt|wohnt|hat)\b|"
        r"\b(?:mi|nuestr[oa]) \w+ (?:es|está|tiene|vive|se llama)\b|\b(?:mon|ma|notre) \w+ (?:est|"
        r"a|habite|s'appelle)\b|は.{1,30}(?:です|ます|だ)",
        "is_copula": r"\b\w+'?s? (?:is|are|isn't|aren't) (?:the|a|an|at|in|on|now|still|not|due|only|always|never|"
        r"called|\d|[a-z]+ed)\b",
        "present_3": r"\b(?:goes|runs|opens|closes|starts|takes|keeps|handles|owns|signs|pays|costs|comes|leaves|"
        r"lives|works|sits|stays|belongs|ends|expires|holds|allows|accepts|gives|gets|"
        r"ships|needs|wants|means|lies|stands|reports|covers|uses|reads|serves|deals|looks after|prefers|"
        r"counts|applies|changes|trips|hangs|fits|beats|collects|delivers|drives|teaches|sees)\b",
        "habit": rf"\b(?:{_DAY}s\b|weekdays?|weekends?|mornings|evenings|afternoons|nights|mondays?|usually|"
        rf"normally|typically|tends? to|every other|once a (?:day|week|month|year)|twice a|"
        r"daily|weekly|monthly|yearly|annually|a (?:day|week|month|year)\b|per (?:day|week|month|year|"
        r"person|head|key|guest)|pro (?:woche|tag|monat)|am wochenende|werktags|montags|dienstags|"
        r"mittwochs|donnerstags|freitags|"
        r"samstags|sonntags|los (?:lunes|martes|miércoles|jueves|viernes|sábados|domingos)|le (?:lundi|"
        r"mardi|mercredi|jeudi|vendredi|samedi|dimanche)|normalerweise|normalmente|d'habitude)\b|毎",
        "when_do": r"\b(?:when(?:ever)? (?:i|we|you|it|they|the|a|somebody|someone|there)|if (?:a|an|the|it's|"
        r"it is|anyone|somebody|someone|anything|something|i say|you|they)|any (?!way|more|idea|news|"
        r"luck|chance|thoughts)\w+|"
        r"anything|anyone|for (?:anything|any|all|every|each|me|us|bloods|the)|before (?:you|any|each|"
        r"every|we)|after (?:each|every|any)|unless|except|otherwise|wenn du|wenn ich|cuando|quand)\b",
        "because": r"\b(?:because|cause|cuz|bc|since|so (?:that|please|no|don't|never|we|i|it|the|nothing)|that's why|"
        r"which is why|otherwise|or else|due to|on account of|else|weil|damit|sonst|deshalb|denn|"
        r"porque|así que|si no|parce que|sinon|car)\b|から|ので",
        "burned": r"\b(?:last time|once|gave me|came out in|broke out|rash|hives|sick|swell|swells|cracked|burned|"
        r"burnt|leaked|mangled|ruined|failed|never again|ended up|learned|learnt|the hard way|"
        r"trips|bites|bit us|hurts|migraine|faint|allerg\w+|intoleran\w+|reaction|wakes|crashed|flooded)\b",
        "decided": r"\b(?:decided|decision|agreed|settled|we're going with|going with|we'll go with|go with|chose|"
        r"chosen|picked|opted|we talked|signed up to|final|finali[sz]ed|sticking (?:with|to)|"
        r"approved|confirmed|set(?:tled)? on|switching to|we're (?:using|moving|switching|keeping|"
        r"doing)|instead of|beschlossen|entschieden|einigen|decidido|acordado|hemos|décidé|convenu)\b|"
        r"決めた|決まり",
        "changed": r"\b(?:changed|changes|change|moved|moves|switched|now|new|instead|no longer|anymore|used to|"
        r"used|old|gone over|replaced|became|become|is now|are now|cut|raised|lowered|dropped|up to|"
        r"down to|"
        r"quit|started|stopped|retired|renamed|dead|history|outdated|different|statt|neu|neue[rsn]?|"
        r"nicht mehr|geändert|ahora|ya no|cambió|nuevo|nueva|maintenant|plus de|nouveau|nouvelle|changé)\b|"
        r"変わ|新しい",
        "correct": r"\b(?:actually|correction|i meant|i mean|wrong|mistake|mixed up|mistyped|typo|not (?:the )?\w+,? but|"
        r"scratch that|that's old|thats old|instead|rather than|sorry|oops|my bad|turns out|"
        r"wait|eigentlich|ich meinte|falsch|doch nicht|en realidad|quise decir|perdón|en fait|je voulais dire|erreur)\b",
        "mark": r"\b(?:remember(?: that)?|note(?: that)?|for the record|keep in mind|bear in mind|mind that|"
        r"mind you|don't forget|fyi|heads[- ]up|make a note|important|write (?:this|that|it) down|"
        r"take (?:this|these|that) down|"
        r"rules?|house rules?|policy|one (?:more )?thing|another thing|two (?:more )?things|three (?:rules|"
        r"things)|a few things|before i forget|for (?:future )?reference|just so you know|so you know|"
        r"you should know|"
        r"btw|by the way|while you're at it|while i have you|while we're at it|also|for next time|"
        r"in case|reminder|worth knowing|put (?:it|this|that|him|her|me) down|please note|for your (?:notes|"
        r"files|records)|"
        r"merk dir|übrigens|regel|wichtig|notier|recuerda|apunta|por cierto|regla|importante|note bien|"
        r"au fait|règle|retiens|pour info)\b|覚えて|ちなみに|お願いがあります|ルール",
        "until": rf"\b(?:until|till|til|through|by (?:the end|{_MONTH}|\d)|up to and including|ends?|expires?|"
        rf"lasts?|between|from \w+ (?:to|until|till|through)|bis|hasta|jusqu'(?:au|à|en))\b|まで",
        "dated": rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}|{_MONTH} \d{{1,2}}|\d{{4}}-\d\d-\d\d|"
        rf"\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?|next (?:{_DAY}|week|month|year|spring|summer|autumn|fall|"
        rf"winter)|"
        rf"in {_MONTH}|(?:since|until|till|by|from|before|after) (?:{_MONTH}|{_DAY}|easter|christmas|"
        rf"summer|autumn|fall|spring|winter)|a week (?:from|on)|nächste[nr]?|próxim[oa]|prochain[e]?)\b|"
        rf"\d+月",
        "place": r"\b(?:is|are|it's|sits?|sit|kept|keep|stored|lives?|live|located|hidden|hangs|lies|stands|"
        r"parked|filed|saved|found) (?:\w+ )?(?:in|on|at|under|behind|by|next to|inside|above|below|"
        r"with|near|between)\b|"
        r"\b(?:in|on|under|behind) (?:the|our|my) (?:\w+ )?(?:drawer|cupboard|shed|garage|folder|drive|"
        r"wiki|closet|basement|cellar|attic|shelf|fridge|freezer|safe|vault|binder|cabinet|hall|porch|"
        r"server|repo|"
        r"sheet|spreadsheet|doc|board|channel|box|office|kitchen|locker)\b",
        "pointer": r"\b(?:look (?:it |them |there|up|in)|check (?:the|there)|see (?:the|page|section|kb)|you'll find|"
        r"can be found|lives in|are (?:in|on) the|kept in|documented|link there|wiki|handbook|spreadsheet|"
        r"calendar|folder|"
        r"don't memori[sz]e|system of record|source of truth|changes (?:weekly|daily|often|every))\b",
        "named": r"\b(?:named|called|name is|name's|goes by|known as|heiß[te]+|se llama|s'appelle|call (?:me|"
        r"him|her|it)|nickname|stands for|means|spelled|spelt|pronounced)\b|という",
        "person_role": r"\b(?:is|are|'s|runs|handles|signs|approves|manages|leads|owns|covers|ask|talk to|go to|goes to|"
        r"contact|reach|through|report to) (?:the |our |my |their )?(?:\w+ )?(?:in charge|responsible|"
        r"lead|manager|boss|owner|"
        r"contact|cfo|ceo|cto|coach|doctor|dentist|vet|accountant|lawyer|landlord|supervisor|approver|"
        r"buddy|emergency|guardian|cousin|sister|brother|partner|wife|husband|daughter|son)\b|"
        r"\b(?:their|our|my|his|her) (?:cfo|ceo|cto|contact|coach|doctor|dentist|vet|accountant|lawyer|"
        r"landlord|agent|broker|tutor|cousin|sister|brother|partner|wife|husband|daughter|son|mum|"
        r"mom|dad)\b",
        "own_form": r"\b(?:when(?:ever)? you (?:write|send|make|give|talk|explain|book|reply|draft|code|cook|plan|"
        r"suggest|recommend|answer)|you (?:write|send|make|give) me|for me\b|reports? for|anything you|"
        r"(?:write|send|give|show|call|text) me|in your (?:replies|answers|emails|summaries)|address me|"
        r"talk to me|speak to me)\b",
        # what is told in confidence is told to be used, and is to be kept from others
        "confides": r"\b(?:between (?:us|you and me|ourselves)|stays? between|in confidence|(?:a bit |rather |"
        r"a little )?private\b|"
        r"nobody (?:here )?(?:knows|is to know)|no ?-?one's? (?:here )?(?:knows|is to know|to know)|(?:i )?never told you this|"
        r"keep (?:that|this|it) to yourself|i(?:'m| am) telling you (?:so|because|this)|i should tell you|you (?:should|"
        r"ought to|may as "
        r"well) know|for your (?:understanding|planning|information|ears|eyes)|don't (?:tell|let on|let (?:him|her|them) hear)|"
        r"entre nous|unter uns|entre nosotr[oa]s|im vertrauen)\b",
        "amount": rf"(?<![\w.])\d[\d.,:/]{{0,9}}\s?{_UNIT}(?!\w)|[€$£¥]\s?\d|\d\s?[€%°]|\b(?:one|two|three|four|"
        rf"five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty|hundred|half|fifty-fifty) {_UNIT}(?!\w)|"
        r"\d+\s?(?:時|分|円|人|個|歳|つ)",
        "digit": r"\d",
        "clock": r"\b(?:\d{1,2}:\d\d|\d{1,2}\s?(?:am|pm|uhr|h\b)|noon|midnight|(?:before|after|by|at|past|from|"
        r"until|till) (?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?! (?:days|"
        r"weeks|people)))",
        "codelike": r"\b(?=[a-z0-9-]*\d)(?=[a-z0-9-]*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*\b|`[^`\n]{1,80}`|\b\w+/\w+\b|"
        r"\b\w+@\w+\b|\b#\w+",
    }
)

COMPILED: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {name: regex(source, re.MULTILINE) for name, source in LASTING.items()}
)
