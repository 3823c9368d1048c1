"""Classes of words: what a word does in a sentence rather than what it is about."""

from __future__ import annotations

from functools import lru_cache

from onrecord.policy.speech.acts import VERBS

_CLASSES = {
    "#day": """monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur fri sat sun mondays
        tuesdays wednesdays thursdays fridays saturdays sundays weekend weekends weekday weekdays montag dienstag
        mittwoch donnerstag freitag samstag sonntag montags dienstags mittwochs donnerstags freitags samstags sonntags
        lunes martes miércoles jueves viernes sábado domingo lundi mardi mercredi jeudi vendredi samedi dimanche""",
    "#month": """january february march april june july august september october november december jan feb apr jun jul aug sep
        sept oct nov dec januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet
        août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre
        noviembre diciembre spring summer autumn winter easter christmas""",
    "#part": """morning mornings evening evenings afternoon afternoons night nights noon midnight overnight lunch breakfast
        dinner weekly daily monthly morgens abends mittags nachts mañanas tardes noches matin soir""",
    "#kin": """wife husband partner brother sister mom mum mother dad father son daughter kid kids cousin aunt uncle nephew
        niece grandma grandpa gran neighbour neighbor friend colleague boss manager flatmate roommate landlord baby
        child children family schwester bruder mutter vater frau mann tochter sohn hermana hermano madre padre hija
        hijo esposa marido sœur frère mère père fille fils femme mari""",
    "#unit": """eur euro euros usd dollars pounds quid kg kilo kilos g gram grams cm mm km m metres meters feet ft inch inches
        l litres liters ml min mins minutes hours hour hrs degrees percent pm am uhr people seats grad stunden horas
        heures""",
    "#feel": """tired happy sad nervous excited annoyed bored stressed hungry proud glad relieved exhausted scared worried
        angry sick cold hot lost great awful terrible lovely nice good bad funny weird sorry müde froh traurig cansada
        cansado feliz triste fatigué fatiguée content contente""",
    "#role": """doctor dentist vet accountant lawyer teacher coach client customer customers supplier vendor team office desk
        driver contact contractor bank school council arzt ärztin anwalt lehrer médico abogado médecin avocat""",
}
#: Words that carry grammar rather than topic stand for themselves.
_FUNCTION = frozenset(
    """a an the and or but if of at by for with about to from in on into over under up down off out as than then so not
    no never always only just also too very really please i me my mine we us our you your he him his she her it its
    they them their this that these those there here what which who whom when where why how is are was were be been
    am do does did don't doesn't didn't have has had having can can't cannot could will won't would should must may
    might let let's get got go goes going make makes keep keeps use uses want wants need needs like likes prefer
    hate love know think say says said tell told call calls ask take takes give gives put send write read work works
    live lives anything nothing everything something anyone nobody everyone any every each all some none more less
    most least one two ever still yet again already now today tonight tomorrow yesterday week month day year time
    times because since until till before after while during unless instead rather actually anymore longer new old
    first last next same other own back right well better best ok okay yes yeah thanks thank hi hey hello oh ah lol
    haha ugh wow i'm i've i'll i'd it's that's he's she's they're we're you're we've isn't aren't wasn't weren't
    shouldn't wouldn't there's what's who's rule rules mind note remember forget stay stays max per""".split()
)
_WORDS = {word: name for name, words in _CLASSES.items() for word in words.split()}
_ENDINGS = ("ing", "ed", "ly", "s")


def word_class(token: str, *, name: bool) -> str:
    """The class of a word in lower case; itself if it carries grammar, ``*`` with its ending if it is a mere topic."""
    return "#name" if name and token not in _FUNCTION and token not in _WORDS else _class(token)


@lru_cache(maxsize=8192)
def _class(token: str) -> str:
    if token in _FUNCTION or not token[0].isalpha():
        return "0" if token.isdigit() else token
    if token in _WORDS:
        return _WORDS[token]
    if token in VERBS:
        return "#verb"
    ending = next((e for e in _ENDINGS if token.endswith(e) and len(token) > len(e) + 2), "")
    return f"*{ending}"
