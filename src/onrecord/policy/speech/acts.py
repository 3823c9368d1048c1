"""What words do: the speech acts (ask, order, joke, suppose, feel, greet, quote) seen from their surface.

Each cue is one linear regular expression over text in lower case with plain apostrophes. They cover English, and the basics of
German, Spanish, French and Japanese. A cue is evidence, never a verdict; ``gate`` weighs them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from onrecord.policy.language.pattern import regex

# Verbs that begin an order. Said of one thing they are a request, said of every time they are a rule.
_VERBS = (
    "add|adjust|answer|apply|archive|arrange|attach|back up|bin|block|book|bring|build|bump|buy|"
    "calculate|call|cancel|change|check|clean|clear|"
    "close|collect|compare|confirm|convert|copy|correct|count|create|cut|delete|dim|do|double-check|"
    "draft|drop|dump|email|erase|explain|export|extend|"
    "fetch|file|fill|find|finish|fix|flag|flip|forget|format|forward|generate|get|give|go|grab|"
    "help|hold|include|keep|kill|leave|let|list|load|"
    "lock|look|lower|mail|make|mark|message|move|mute|name|nudge|open|order|pack|paste|pause|"
    "pay|pick|pin|ping|play|post|print|pull|push|put|"
    "queue|raise|read|rebuild|recount|redo|refund|remind|remove|rename|reorder|repeat|replace|"
    "reply|rerun|reschedule|reset|restart|resend|return|"
    "revert|rewrite|run|save|scan|schedule|scrub|search|send|set|shift|ship|show|shut|skip|snooze|"
    "sort|split|start|stop|sum|summari[sz]e|swap|"
    "switch|take|tell|test|text|throw|tidy|transfer|translate|try|turn|undo|unlock|update|upload|use|wake|water|wipe|write|zip"
)
#: The same as words, for whoever needs the class.
VERBS = frozenset(_VERBS.replace("[sz]", "s").split("|"))
_LEAD = (
    r"(?:(?:ok|okay|oh|and|so|now|hey|hi|well|right|alright|please|pls|plz|also|then|but|great|"
    r"fine|cool|sure|yes|yeah|yep|no|nope|thanks|just|"
    r"actually|um+|uh+|hm+|ah|good|perfect|quick|quickly|maybe|house|anyway|anyways|oops|sorry)[,.!:;]*\s+){0,4}"
)
_KIN = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|brother|sister|mom|mum|mother|dad|father|son|"
    r"daughter|kid|kids|cousin|aunt|uncle|nephew|niece|"
    r"grandma|grandpa|gran|nan|granddad|neighbou?r|friend|buddy|mate|colleague|coworker|co-worker|"
    r"boss|manager|roommate|flatmate|landlord|"
    r"in-laws?|(?:brother|sister|mother|father|son|daughter)-in-law|ex|teacher|classmate|therapist|"
    r"barber|hairdresser|bestie|pal|guy|lady)"
)

ACTS: Mapping[str, str] = MappingProxyType(
    {
        "ask_mark": r"[?？](?=\s|[\"'”’)]|$)|ですか|ますか|でしょうか",
        "ask_final": r"[?？][\s\"'”’)*😅😂🤔🙃😬]{0,6}\Z",
        "ask_open": rf"^{_LEAD}(?:what|what's|whats|how|how's|hows|where|where's|wheres|who|who's|whos|when|when's|"
        rf"why|which|whose|is|are|am|was|were|"
        r"do|does|did|can|could|would|will|should|shall|have|has|any|isn't|aren't|don't|doesn't|wasn't|"
        r"remind me (?:what|where|who|how|when)|"
        r"tell me (?:what|where|who|how|when|why)|wie|was|wo|wann|warum|wer|welche[rs]?|ist|sind|kann|hast|gibt es|"
        r"qué|cómo|dónde|cuándo|cuánto|quién|por qué|cuál|qu'est-ce|est-ce|comment|où|quand|pourquoi|combien|quel(?:le)?s?)\b",
        "ask_soft": r"\b(?:i wonder|wondering|any idea|do you know|not sure (?:if|whether)|is it ok|would it|should i|"
        r"can i|could i|may i|what about|how about|"
        r"how do you|how many|how much|how long|what if|which one|or not|right\?|no\?|ne\?|oder\?|verdad\?|n'est-ce pas)\b",
        "order_open": rf"^{_LEAD}(?:{_VERBS})\b(?!')",
        "order_any": rf"(?:[.,;:!\n]\s{{0,3}}|\b(?:and|so|then|please|pls)\s)(?:{_VERBS})\b",
        "order_ask": r"\b(?:(?:can|could|would|will) (?:you|u|ya|we|ye)|i (?:need|want) you to|i'd like (?:you )?to|"
        r"c(?:ould|an) i (?:get|have)|let's|kannst du|können sie|puedes|podrías|peux-tu|pouvez-vous)\b|"
        r"ください|くれますか|お願い",
        "please": r"\b(?:please|pls|plz|bitte|por favor|s'il (?:te|vous) pla[iî]t|svp|stp)\b",
        "once": r"\b(?:(?:just|only)?\s?(?:this|that) (?:once|time|one time)|just once|for once|for this (?:one|"
        r"time|order|call|mail|email|letter|report|trip|visit|booking|"
        r"round|run|week|month|session|meeting|version|draft|comparison|file|pr|ticket|event|game|"
        r"night)|for now|for today|for tonight|for the moment|"
        r"(?:just|only) (?:for )?(?:today|tonight|tomorrow|now|this|that|the one)|(?:today|tonight|"
        r"this week|this month|this weekend) only|"
        r"one[- ]off|one[- ]time|not (?:as )?(?:a|the) (?:rule|new rule|new normal|habit)|exception(?:ally)?|"
        r"nur (?:heute|diesmal|dieses mal|jetzt|für)|dieses mal|diesmal|heute|ausnahmsweise|solo (?:hoy|"
        r"esta|por esta)|esta vez|por hoy|hoy|"
        r"juste (?:cette|aujourd'hui|pour)|cette fois|pour cette fois|aujourd'hui|exceptionnellement)\b|今回だけ|今日だけ|今だけ",
        "suppose": r"\b(?:if (?:i|we|they|you|he|she|it|this|that|the|my|our|somebody|someone) (?:ever|had|were|"
        r"was|could|would|won|got|get|did|didn't|hadn't|weren't|lived|moved|"
        r"became|ran|owned)|if i'd|if we'd|if only|suppose|supposing|imagine|what if|hypothetical(?:ly)?|"
        r"say (?:we|i|you|they)\b|let's say|thinking (?:aloud|out loud)|"
        r"spitballing|daydream(?:ing)?|in (?:my|your) dreams|in theory|in another life|one day|someday|"
        r"some day|maybe (?:one|some) day|were (?:i|we) to|"
        r"should (?:i|we) ever|pretend|as if|would have|would've|could have|could've|might|i'd (?:love|"
        r"want|need|have|move|buy|go|do|be|never|probably|rather|use|"
        r"write|switch|ask|put)|we'd|wish|wonder|dream(?:ing|t)?|no plans|not planning|nothing (?:is )?(?:decided|"
        r"signed|planned)|big if|"
        r"wenn (?:ich|wir) \w+ (?:wäre|hätte|könnte)|wäre|hätte|würde|würden|falls|angenommen|stell dir vor|"
        r"si (?:fuera|tuviera|pudiera|me tocara|ganara)|ojalá|supongamos|imagina|si j'étais|si j'avais|"
        r"si on avait|imaginons|supposons|j'aurais|je serais)\b|"
        r"もし.{0,20}(?:たら|なら|れば)|だったら",
        "joke": r"\b(?:lol|lmao|lmfao|rofl|haha\w*|hahah\w*|hehe\w*|heh|ha|jk|j/k|kidding|joking|just kidding|"
        r"joke|jokes|sarcasm|obviously not|not really|"
        r"jaja\w*|jeje\w*|mdr|ptdr|scherz|witz|spaß|broma|blague|apparently|allegedly|imagine that|"
        r"asking for a friend|said no one|"
        r"literally|legend says|pray for|send help|rip|lord|heaven|the audacity)\b|/s\b|[😂🤣😅😆😜😝🙃😏🤪😹💀]|\bxd\b|www|笑",
        "like_a": r"\b(?:like (?:a|an|the) \w+|as (?:a|an) \w+ (?:as|in)|the size of|than (?:a|an|my) \w+)\b",
        "mood": r"\b(?:ugh|argh|a+r+g+h+|gah|meh|yay|woo+|wohoo|sigh|oof|ouch|phew|whew|omg|wow|whoa|ew+|yuck|"
        r"grr+|damn|dammit|darn|hell|finally|shameful|creepy|"
        r"so (?:tired|happy|sad|nervous|excited|annoyed|bored|stressed|hungry|proud|glad|relieved|cold|hot|done|over|sick)|"
        r"i(?:'m| am) (?:so|really|very|kinda|kind of|a bit|a little|just|too|feeling|totally|absolutely)?\s?(?:tired|"
        r"happy|sad|nervous|excited|annoyed|bored|stressed|"
        r"hungry|proud|glad|relieved|exhausted|knackered|furious|shattered|freezing|melting|dying|"
        r"miserable|grumpy|worried|scared|done|beat|wiped|lost)|"
        r"feel(?:s|ing)?|felt|i could (?:cry|scream|sleep|kiss|hug)|can't win|hate (?:this|everyone|"
        r"everything|mondays|it)|love (?:it|this|that)|best day|worst day|"
        r"what a (?:day|week|mess|night|morning)|long day|rough (?:day|week|night)|typical|of course|nerves?|mood|panic|"
        r"müde|traurig|glücklich|genervt|hunger|kopfweh|puh|endlich|cansad[ao]|feliz|triste|qué (?:día|calor|frío|asco|pena)|"
        r"fatigué|crevé|content|marre|疲れ|嬉しい|悲しい|眠い|つらい|こわい)\b",
        "cry": r"[!！]{2,}|[😀-🙏🤐-🧿❤💔☕🎉✨]|aaa|eee|ooo|sss|hhh",
        "greet": r"^(?:good (?:morning|afternoon|evening|night|day)|morning|afternoon|evening|hi|hiya|hello|"
        r"hey|yo|hallo|moin|servus|guten (?:tag|morgen|abend)|"
        r"hola|buen[oa]s|bonjour|bonsoir|salut|ciao|こんにちは|おはよう|こんばんは|初めまして|me again|back again|it's me|back\b|"
        r"bye|goodbye|good night|goodnight|see (?:you|ya)|later|ttyl|cheers|take care|tschüss|bis (?:bald|"
        r"dann|morgen)|adiós|chao|hasta|au revoir|à (?:plus|demain)|またね)",
        "thank": r"\b(?:thanks?|thank you|thx|ty|cheers|ta|much appreciated|appreciate it|danke|vielen dank|"
        r"gracias|merci|ありがとう|you're (?:a star|the best|very good|hired|welcome)|"
        r"legend|lovely|good bot|nice one|well done|good job|great job|good catch)\b|ありがとう",
        "ack": rf"^{_LEAD}(?:ok|okay|k|kk|yes|yeah|yep|yup|no|nope|sure|fine|right|got it|gotcha|great|good|"
        rf"perfect|nice|cool|neat|sweet|awesome|excellent|lovely|beautiful|"
        r"brilliant|bingo|sound|grand|done|agreed|deal|exactly|indeed|noted|ship it|works for me|sounds good|"
        r"makes sense|fair (?:enough|play)|no worries|never ?mind|"
        r"genau|klar|gut|super|passt|ja|nein|doch|vale|claro|sí|perfecto|d'accord|oui|non|parfait|はい|いいえ)\b[\s.!,…]*$",
        "quote_frame": r"\b(?:quote|unquote|quoted?|pasting|pasted?|copy-?pasted|forward(?:ed|ing)|from (?:the )?(?:article|"
        r"review|flyer|forum|internet|podcast|book|song|radio|tv|slack|thread|"
        r"newsletter|blog|wiki page)|saw (?:this|a|an|on)|read (?:somewhere|that|an?|this)|says? here|"
        r"it said|(?:he|she|they|guy|lady|somebody|someone|sign|poster|sticker|flyer|"
        r"article|review|forum|lyrics|textbook|post|headline|ad|email|mail|note) (?:said|says|wrote|"
        r"writes|goes|reads)|found (?:this|taped|a note)|his words|her words|their words|"
        r"not my words|out of context|line from|lyrics|screenshot|zitat|schrieb|sagt|meinte|lehrbuch|"
        r"frase del|dice|decía|citation|il dit|elle dit|と言|って書)\b|^got this",
        "quote_long": r"\"\"|[“„«「][^”“»」]{25,}|(?<!\w)\"[^\"\n]{25,}\"",
        "they_open": rf"^{_LEAD}(?:he|she|he's|she's|they|they're|his|her|my {_KIN}(?:'s)?|the {_KIN}|some (?:guy|"
        rf"lady|kid|dude)|er|sie ist|mein[e]? \w+|mi \w+|mon \w+|ma \w+)\b",
        "kin": rf"\b(?:my|our|his|her|their|the) (?:\w+ )?{_KIN}\b",
        "they_say": r"\b(?:says?|said|thinks?|thought|reckons?|claims?|claimed|insists?|swears?|told|tells|wants|"
        r"hates|loves|is learning|is getting|got (?:engaged|married|divorced)|"
        r"bought|broke up|moved to|is having|had (?:a|his|her)|sends? (?:his|her|their))\b",
        "moment": r"\b(?:right now|at the moment|just now|brb|gtg|g2g|bbl|afk|on my way|omw|running late|hang on|"
        r"hold on|one sec|a sec|one moment|let me (?:think|see|check|get|grab|find|finish)|"
        r"give me (?:a|two|five)|in a (?:minute|sec|bit|moment)|be (?:right )?back|be there|in the car|"
        r"on the (?:bus|train|tram)|still (?:waiting|here|at|on|in|no|not)|waiting (?:for|on)|"
        r"today|tonight|this (?:morning|afternoon|evening|week|weekend|month)|yesterday|last night|"
        r"tomorrow|already|almost|about to|"
        r"later|soon|not now|not today|not yet|we'll see|leave it|never ?mind|forget it|whatever|gerade|"
        r"jetzt|gleich|gestern|morgen|noch nicht|ahora|ayer|mañana|luego|"
        r"maintenant|demain|hier|tout de suite|bientôt|今|昨日|明日|後で)\b",
        "doing": r"\b(?:i'm|i am|we're|we are|he's|she's|they're|it's|is|are|am|was|were) (?:\w+ly )?\w{2,}ing\b",
        "past": r"\b(?:was|were|had|went|got|came|saw|took|made|did|found|gave|left|ate|slept|woke|ran|broke|"
        r"fell|bought|forgot|sent|lost|won|met|spent|drove|called|\w{3,}ed)\b",
        "told_us": r"\b(?:forget|scrub|erase|drop|delete|remove|scratch|strike|wipe|unlearn|vergiss|lösch|olvida|"
        r"borra|oublie|efface)\b.{0,60}?\b(?:that|the|what|it|my|about|bit|thing|"
        r"address|number|name|note|was|die|den|das|lo|la|ce|ça)\b|忘れて",
        "code": r"^\s{0,4}(?:\$|>>>|```|npm |git |select |traceback|error:|warn|info )|```|[{};]\s*$|=>|\(\)",
    }
)

COMPILED: Mapping[str, re.Pattern[str]] = MappingProxyType({name: regex(source, re.MULTILINE) for name, source in ACTS.items()})
