"""What people say of themselves in so many words: where they come from, what they do, whom and what they have, what they use.

Such statements last by their form: a present tense without a moment, and a value that is no mood and no state of things ("my
laptop is a ThinkPad", not "my laptop is slow"). Whoever says more than a sentence of it is weighed like everything else.
"""

from __future__ import annotations

import re

#: A sentence of more words says something else besides, and is weighed.
_LONGEST = 14


def _one_of(words: str) -> str:
    """A pattern of any of the words, of which ``_`` joins several."""
    return "(?:" + "|".join(word.replace("_", " ") for word in words.split()) + ")"


_AM = r"(?:i am|i'm|im)"
_MINE = r"(?:my|our)"
_WE = r"(?:i|we|our team|the team)"
_HAVE = r"(?:have|own|'ve got|have got|keep)"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_END = r"(?:$|,| (?:called|named|and|at|in|with|from|since|to)\b)"
_COUNT = r"(?:(?:an?|one|two|three|four|five|six|seven|\d+|some) )?"

_KIN = _one_of(
    "kids? children child sons? daughters? brothers? sisters? siblings? twins? grandchild(?:ren)? grandsons? "
    "granddaughters? nephews? nieces? cousins? godsons? goddaughters?"
)
_PETS = _one_of(
    "dogs? cats? tortoises? turtles? rabbits? hamsters? parrots? budgies? horses? pony ponies goats? chickens hens ducks "
    "sheep cows bees beehives? goldfish aquarium snakes? lizards? geckos? guinea_pigs? kittens? puppy puppies ferrets?"
)
_GOODS = _one_of(
    "house flat apartment cottage cabin farm allotment garden caravan boat car van motorbike bike truck piano greenhouse "
    "workshop bakery cafe shop company business"
)
_ILLS = _one_of(
    r"asthma (?:type_(?:1|2|one|two)_)?diabetes epilepsy migraines? arthritis eczema psoriasis c(?:o|)eliac_disease "
    r"hay_?fever adhd autism dyslexia parkinson's high_blood_pressure hypertension tinnitus a_pacemaker insomnia anaemia "
    r"endometriosis crohn's ibs gout glaucoma a_heart_condition (?:an?_)?(?:\w+_)?(?:allergy|intolerance)"
)
_STATUS = _one_of(
    "married divorced widowed single engaged retired self-employed freelance near-?sighted short-?sighted far-?sighted "
    "dyslexic autistic bilingual muslim jewish hindu buddhist catholic christian protestant atheist"
)
_TRAIT = _one_of(
    "(?:shoe|hat|ring|dress|shirt|trouser|jacket|clothing|glove|collar|coat|suit|boot|helmet)_size inside_leg waist "
    "(?:first|middle|last|family|maiden|full|user|pen)_?name surname nickname handle call_?sign blood_(?:type|group) "
    "time_?zone (?:native|first|second)_language mother_tongue star_sign degree major home_?town birthplace nationality "
    "citizenship religion height (?:eye|hair)_colou?r (?:wedding_)?anniversary diet (?:licen[cs]e|number)_plate postcode "
    "zip_code rent mortgage salary pension"
)
_THING = _one_of(
    "car bike van truck motorbike laptop computer camera phone tablet boat guitar office school university college employer "
    "company landlord landlady dentist doctor gp therapist vet accountant lawyer bank insurer gym hairdresser plumber "
    "(?:car|health|home)_insurance"
)
#: Trades that their ending does not tell; the others end as trades do, and so do some words that are none.
_TRADES = _one_of(
    "nurse chef head deputy mayor secretary principal dean priest nun intern vet cook judge midwife clerk cto ceo cfo coo "
    "student apprentice au_pair mum mom dad mother father grandmother grandfather widow twin only_child nanny pilot "
    "diplomat architect monk coach scientist beekeeper housewife"
)
_NO_TRADE = _one_of(
    r"\w*monster disaster loser bother sucker winner stranger killer lover goner master wonder newcomer beginner customer "
    r"caller user other number later bummer error terror horror giant important present different absent patient moment"
)
_TRADE = rf"(?:{_TRADES}|(?!{_NO_TRADE}\b)[\w-]{{3,}}(?:er|or|ist|ian|ant|eer|man|woman))"
_PLAYED = _one_of(
    "(?:the_)?(?:piano|guitar|cello|violin|viola|flute|oboe|clarinet|drums|bass|saxophone|sax|trumpet|trombone|harp|organ|"
    "accordion|ukulele|banjo|recorder|horn) chess tennis football basketball rugby cricket golf hockey handball volleyball "
    "badminton squash bridge"
)
_STATES = _one_of(
    r"so very too really just being still now already almost not no never gone broken down slow full late closed open here "
    r"there ready dead dirty stuck out off on(?!_(?:the_)?\d) back up fine ok okay great good bad awful terrible amazing nice "
    r"freezing wrong missing lost stolen sick ill useless busy asleep away "
    r"a_(?:mess|wreck|joke|disaster|nightmare|pain|bit|little|lot|dream) an?_(?:absolute|total|complete|real) "
    r"the_(?:worst|best|problem) at_(?:home|work|the) in_(?:the_(?:shop|garage|way|car)|repair) about_to supposed \w+ing "
    r"(?:clos|cancell?|delay|wreck|crash|park|load|book|charg|block|finish|fix)ed"
)
#: Before what somebody or something is: no mood, no place of the moment, no state of things.
NO_STATE = rf"(?!{_STATES}\b)"
_POINTING = _one_of("it this that them these those the what whatever who me you him her us")
_WHEREABOUTS = _one_of("out into late home away around in to over")
_PAST = _one_of("will had did was were have_to need want could should might may would got am are")
_IN_GENERAL = _one_of("a_lot so more to how the_ropes from for")

_SAYS = (
    r"(?:i|we) (?:was|were) born (?:in|on|at|near)\b|i (?:grew up|was raised) (?:in|on|near|by)\b|i come from \w",
    rf"{_AM} (?:originally )?from (?!(?:here|there|the|your|my|now|then)\b)\w",
    rf"{_AM} (?:\d{{1,3}} years old|(?:1[3-9]|[2-9]\d)$|(?:happily )?{_STATUS}{_END})",
    rf"{_AM} (?:an?|the) (?:[\w-]+ ){{0,2}}?{_TRADE}(?:$| (?:at|for|in|by trade|of|with|from|and)\b)",
    rf"{_MINE} {_TRAIT} (?:is|are) {NO_STATE}",
    rf"{_MINE} {_THING} is {NO_STATE}(?:an?|called|named|in|with|from|dr)\b",
    rf"{_MINE} [\w' -]{{2,25}}?(?:'s)? name is {NO_STATE}|{_MINE} [\w' -]{{2,25}}? (?:is|are) (?:called|named) \w",
    rf"{_WE} {_HAVE} {_COUNT}(?:[\w-]+ )?(?:{_KIN}|{_PETS})(?!.* to \w+){_END}|{_WE} own {_COUNT}(?:[\w-]+ )?{_GOODS}\b",
    rf"{_WE} (?:don't|do not) (?:have|own|keep) (?:an? |any )?(?:[\w-]+ )?(?:{_KIN}|{_PETS}|{_GOODS}){_END}",
    rf"i (?:have|suffer from|live with|'ve got|have got) (?:severe |mild |bad |chronic )?{_ILLS}{_END}",
    r"i wear (?:glasses|contact lenses|contacts|(?:a )?hearing aids?|dentures|(?:a )?size|insoles|orthotics)\b",
    rf"i play {_PLAYED}(?:$|,| (?:in|for|with|every|on|at|and|since)\b)",
    rf"{_AM} (?:learning|studying) (?!(?:{_IN_GENERAL}|{_POINTING})\b)[\w-]+(?: [\w-]+)?(?:$| (?:at|in|with)\b)",
    rf"i (?:study|teach) (?!(?:{_IN_GENERAL}|{_POINTING}|hard|now|here|later|tonight|at|in|on)\b)[\w-]+"
    r"(?:,? (?:and |& )?[\w-]+)??"
    r"(?:$| (?:at|in|for|to|on|with)\b)|i (?:study|teach) at (?:an? |the )?(?!(?:home|night|all|least|once)\b)\w|"
    r"i (?:sing|dance|act|play) in an? (?:[\w-]+ ){0,2}(?:choir|band|orchestra|troupe|theatre|theater|quartet|ensemble|company|"
    r"club|league|team)$",
    r"i (?:studied|majored in|trained as|qualified as|graduated (?:in|from)) (?!(?:it|this|that|hard|all|the whole)\b)",
    r"i (?:have|hold|'ve got) (?:an? )?(?:\w+ )?(?:degree|phd|doctorate|diploma|licen[cs]e|master'?s|bachelor'?s)\b",
    rf"{_WE} (?:uses?|runs?|drive|ride) (?!(?:{_POINTING}|{_WHEREABOUTS})\b)[\w.+#-]+(?: [\w.+#-]+){{0,3}}"
    r"(?: (?:for|in|as|on|to) [\w .-]{2,30})?$",
    rf"{_WE} (?!{_PAST}\b)(?!.*\b(?:this|it|that|error)\b)[a-z]+ .{{2,40}}\b(?:on {_WEEKDAY}s|every (?:other |second )?"
    rf"(?:{_WEEKDAY}|morning|evening|night|summer|winter|spring|autumn))\b",
    rf"i (?:collect|breed|coach|volunteer (?:at|for|in|with)) (?!(?:{_POINTING}|my|up)\b)[\w' -]{{3,30}}$",
)
#: What a sentence may begin with before it says anything.
OPENING = (
    r"^(?:(?:and|so|oh|also|btw|by the way|well|actually|please|fyi|just so you know|ok|okay|hi|hello|stop (?:it|that|this))"
    r"[,:!]? +){0,3}"
)
_ONESELF = re.compile(OPENING + "(?:" + "|".join(_SAYS) + ")")
_MONTH = _one_of("January February March April May June July August September October November December")
_NAME = (
    rf"(?!(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|{_MONTH})\b)[A-Z][\w'.&-]*(?: (?:of |de |van )?[A-Z\d][\w'.&-]*){{0,3}}"
)
_PASSING = _one_of("guess answer point question problem vote bet train flight bus order ticket seat gate next appointment")
#: Where only a capital tells a name from a verb or a state.
_NAMED = re.compile(
    rf"^(?:[Pp]lease |[Jj]ust )?[Cc]all me [A-Z][\w'-]+$|^I support {_NAME}$|"
    rf"^(?:[Mm]y|[Oo]ur) (?!(?:\w+ )?{_PASSING}\b)[\w' -]{{2,25}}? is (?:the |an? )?{_NAME}$"
)


def tells_of_oneself(statement: str, words: str) -> bool:
    """Whether a statement tells who somebody is, what they have or habitually do. ``words`` is the statement folded."""
    bare, said = statement.strip().rstrip(".! "), words.rstrip(".! ")
    return len(said.split()) <= _LONGEST and bool(_ONESELF.match(said) or _NAMED.match(bare))
