"""The kind of record that a statement makes, read from its surface."""

from __future__ import annotations

from onrecord.model.record import Kind
from onrecord.policy.gate.features import plain
from onrecord.policy.language.pattern import regex

_LIMIT = regex(
    r"\b(?:only|must|has to|have to|needs to be|at most|at least|max|maximum|minimum|no more than|"
    r"not more than|up to (?:\d|a|an|one|two|three|four|five|six|ten|twelve)|no later than|not (?:before|"
    r"after|until)|within \d|"
    r"limit\w*|cap(?:ped)?|nothing (?:but|over|above|under)|exactly \d|muss|müssen|darf|höchstens|"
    r"mindestens|nur|debe|máximo|como máximo|doit|maximum|plafond)\b|だけ|まで|以上|以下"
)
_PROCEDURE = regex(
    r"\b(?:sign[- ]?off|approval|approve[sd]?|escalat\w+|goes? (?:to|through|via)|go(?:es)? against|"
    r"target(?:s|ed)?|merge[sd]?|deploy\w*|review\w*|steps?|workflow|process|procedure|"
    r"handover|checklist|rule|each time|first .{3,40} then|before (?:you|any|the|it|each|every)|"
    r"after (?:you|any|each|every)|when(?:ever)? (?:you|a|an|the|someone|somebody|there)|if (?:a|"
    r"an|the) \w+|"
    r"get(?:s)? \d+|open(?:s)? (?:at|only)|make it a rule|works? (?:only )?(?:if|with|when|for)|"
    r"fails? (?:if|with|when|for)|workaround|regel|ablauf|regla|règle)\b"
)
_RELATION = regex(
    r"\b(?:their|our|my|his|her|the) (?:\w+ )?(?:cfo|ceo|cto|contact|doctor|dentist|vet|accountant|"
    r"lawyer|landlord|landlady|agent|broker|tutor|coach|cousin|sister|brother|partner|wife|husband|"
    r"daughter|son|mum|mom|mother|dad|father|aunt|uncle|neighbou?r|boss|manager|deputy|assistant|"
    r"buddy|godmother|godfather|niece|nephew|grandmother|grandfather)\b|"
    r"\bis (?:the one who|in charge of|responsible for|married to|my|our|their)\b|\b(?:keeps|holds|"
    r"has) the (?:\w+ )?keys?\b|\b(?:ask|call|contact) (?:him|her|them)\b|"
    r"\bmeine? (?:cousine|schwester|frau|mutter|tante|nichte|freundin|bruder|mann|vater|onkel|"
    r"neffe|freund|kollegin?)\b|\bmi (?:hermana|hermano|prima|primo|madre|padre|esposa|marido|"
    r"novi[ao])\b|"
    r"\bm(?:a|on) (?:sœur|frère|cousine?|mère|père|femme|mari|fille|fils)\b"
)
_POINTER = regex(
    r"\b(?:look (?:it |them |that |there)|look up|check there|link (?:there|to)|instead of asking|"
    r"don't memori[sz]e|is the source of truth|documented (?:in|at|on)|look (?:in|at|under) (?:the )?\w+|"
    r"schau (?:da|dort|im|in)|regarde(?:r|z)? (?:dans|là)|c'est là qu'il faut|all (?:down|written|"
    r"kept) in|(?:is|are|sits?|lives?|live|kept|stored|saved|filed) "
    r"(?:\w+ )?(?:in|on|under|at) (?:the |our |my )?(?:[\w/.-]+ )?(?:folder|wiki|drive|vault|kb|"
    r"sheet|spreadsheet|doc|docs|handbook|binder|calendar|board|channel|repo|notion|confluence|"
    r"sharepoint|readme|dashboard|page|tab)\b)|"
    r"\b(?:is|are) (?:in|on) (?:kb-?\d+|[\w-]+/[\w/-]+)"
)
_DECISION = regex(
    r"\b(?:we (?:decided|agreed|talked|settled|chose|picked|voted)|decided|agreed on|settled on|"
    r"we're going with|we'll go with|going with|signed up to|we split|final decision|i(?:'ve| have) decided|"
    r"sticking with|the plan is|set aside|put aside|cap (?:for|of|is)|budget (?:for|of|is)|(?:it's|"
    r"that's|is|are) (?:settled|agreed|decided)|landed on|shook hands on|put my name down|split (?:\w+ ){1,3}ways|"
    r"beschlossen|entschieden|abgemacht|ausgemacht|geeinigt|je tranche|d'accord avec|on s'est mis d'accord|"
    r"hemos decidido|quedamos en|on a décidé)\b|\bcap: |決め"
)
_PREFERENCE = regex(
    r"\b(?:prefer\w*|rather|sooner|favou?rite|i (?:like|love|hate|dislike|want|need)|can't stand|"
    r"can ?not stand|not keen on|(?:don't|do not) like|loathe|detest|(?:works?|suits?|best) (?:for me|"
    r"best|me)|for me|you (?:write|"
    r"send|make|give) me|when you (?:write|send|make|give|explain|talk|"
    r"reply|answer|code)|call me (?!before|after|at|on|during|when|later|until)\w+|address me|"
    r"lieber|am liebsten|ich mag|prefiero|me gusta|je préfère|"
    r"j'aime|i'd like|mornings are|no english|always exactly|(?:in|auf|en) (?:english|german|french|"
    r"spanish|deutsch|englisch|französisch|español|inglés|français|anglais) (?:pls|please|bitte|"
    r"only|immer|always)|(?:to|for) me:|when (?:yo)?u explain|styled?)\b|好き|嫌い|がいい|ください|で。$"
)
_HEALTH = regex(r"\b(?:allerg\w+|intoleran\w+|coeliac|celiac|welts|hives|rash|faint|asthma|epilep\w+|diabet\w+|anaphyla\w+)\b")


def kind_of(statement: str, negation: bool) -> Kind:
    """The kind of record that ``statement`` makes; a plain stated fact where nothing else fits."""
    words = plain(statement)
    if _POINTER.search(words):
        return Kind.POINTER
    if _HEALTH.search(words):
        return Kind.CONSTRAINT
    if _DECISION.search(words):
        return Kind.DECISION
    if _PREFERENCE.search(words):
        return Kind.PREFERENCE
    if negation or _LIMIT.search(words):
        return Kind.CONSTRAINT
    if _RELATION.search(words):
        return Kind.RELATIONSHIP
    return Kind.PROCEDURE if _PROCEDURE.search(words) else Kind.STATED_FACT
