"""Two years of somebody's talk with an assistant, made from a seed: facts that change, restatements, one-time things, noise.

Facts are of two sorts: those that an agent writes on purpose, under a key, in whatever words; and those that are told in passing,
of which the memory gets what it gets. Every fact has several wordings, and most of them share no word of change or of telling
with any rule; what is asked of a fact shares a noun with them, so that an embedder that knows words alone can be played with. Who
writes on purpose leaves the key out at times, and then puts the fact as it was put last.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something about a person that has one value at a time. ``keys`` are names that agents give it; none if it is only told."""

    name: str
    values: tuple[str, ...]
    told: tuple[str, ...]
    asked: tuple[str, ...]
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that happens in a session: words of the user, or a statement written on purpose, with ``key`` and ``value``."""

    text: str
    key: str = ""
    value: str = ""
    kind: str = ""
    purpose: bool = False


@dataclass(frozen=True, slots=True)
class Sitting:
    """A session: when it begins, what is said in it, and what is asked of the memory at its end, if anything is."""

    at: datetime
    said: tuple[Said, ...]
    asked: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A question with the value that is so now, those that were so before, and whether the fact is written on purpose."""

    question: str
    value: str
    former: tuple[str, ...]
    purpose: bool


@dataclass(slots=True)
class Life:
    """The talk of one person. ``sittings`` has to be gone through in order; ``probes`` are as of the last one gone through."""

    seed: int
    start: datetime
    days: int
    sessions: int
    _now: dict[str, str] = field(default_factory=dict)
    _former: dict[str, list[str]] = field(default_factory=dict)
    _last: dict[str, str] = field(default_factory=dict)

    def sittings(self) -> Iterator[Sitting]:
        """The sessions in order: in the first week everything is told once, and again in the time after, as it changes."""
        rng = random.Random(self.seed)
        times = sorted(self.start + DAY * rng.uniform(7, self.days) for _ in range(self.sessions - 7))
        changes = self._changes(rng)
        first = list(ATTRIBUTES)
        rng.shuffle(first)
        for day in range(7):
            mine = first[day::7]
            said = [self._tell(rng, attribute, rng.choice(attribute.values)) for attribute in mine]
            yield self._sitting(rng, self.start + day * DAY + timedelta(hours=rng.uniform(8, 20)), said)
        for at in times:
            due = [attribute for moment, attribute in changes if moment <= at]
            changes = [change for change in changes if change[0] > at]
            said = [self._tell(rng, attribute, self._other(rng, attribute)) for attribute in due]
            again = rng.sample([a for a in ATTRIBUTES if a not in due], k=rng.choice((0, 0, 1, 1, 2)))
            said += [self._tell(rng, attribute, self._now[attribute.name], again=True) for attribute in again]
            yield self._sitting(rng, at, [*said, *_passing(rng, at)])

    def probes(self) -> list[Probe]:
        """One question for each fact, by the time of the last sitting."""
        rng = random.Random(self.seed * 7919 + sum(map(len, self._former.values())))
        return [
            Probe(rng.choice(a.asked), self._now[a.name], tuple(self._former[a.name]), bool(a.keys))
            for a in ATTRIBUTES
            if a.name in self._now
        ]

    def _sitting(self, rng: random.Random, at: datetime, said: Sequence[Said]) -> Sitting:
        every = [*said, *(Said(rng.choice(NOISE)) for _ in range(rng.randrange(3)))]
        rng.shuffle(every)
        known = [a for a in ATTRIBUTES if a.name in self._now]
        # some things are asked often, most seldom
        asked = known[min(int(rng.expovariate(0.15)), len(known) - 1)]
        return Sitting(at, tuple(every), rng.choice(asked.asked) if rng.random() < 0.4 else "")

    def _changes(self, rng: random.Random) -> list[tuple[datetime, Attribute]]:
        """When what changes. A third of the facts never do."""
        found = []
        for attribute in ATTRIBUTES:
            if rng.random() < 1 / 3:
                continue
            day = 7 + rng.uniform(10, 200)
            while day < self.days:
                found.append((self.start + day * DAY, attribute))
                day += rng.uniform(60, 300)
        return sorted(found, key=lambda change: (change[0], change[1].name))

    def _other(self, rng: random.Random, attribute: Attribute) -> str:
        return rng.choice([value for value in attribute.values if value != self._now[attribute.name]])

    def _tell(self, rng: random.Random, attribute: Attribute, value: str, *, again: bool = False) -> Said:
        old = self._now.get(attribute.name)
        former = self._former.setdefault(attribute.name, [])
        if old is not None and old != value:
            former.append(old)
        self._former[attribute.name] = [other for other in former if other != value]
        self._now[attribute.name] = value
        bare = again and bool(attribute.keys) and rng.random() < 0.3
        words = self._last[attribute.name] if bare else rng.choice(attribute.told).format(value)
        self._last[attribute.name] = words
        words = rng.choice(_AGAIN).format(words, _begun(words)) if again and rng.random() < 0.5 else words
        if not attribute.keys:
            return Said(words)
        key = "" if bare else rng.choice(attribute.keys)
        return Said(words, key, value if key else "", purpose=True)


def _begun(words: str) -> str:
    """The words as they go on in a sentence; names keep their capital."""
    first = words.split()[0]
    return words if first not in _STARTS else first.lower() + words[len(first) :]


_STARTS = frozenset("The At Guests Teeth In We Rent Bread Money Exercises Damage Letters Coffee For Home My".split())


def _passing(rng: random.Random, at: datetime) -> Iterator[Said]:
    """What happens once, and what happens again and again."""
    day = f"{at.day} {at:%B}"
    if rng.random() < 0.5:
        once = rng.choice(_ONCE).format(rng.choice(_PEOPLE), day, rng.choice(_THINGS), rng.randrange(3, 900))
        yield Said(once, kind="episode", purpose=rng.random() < 0.5)
    if rng.random() < 0.2:
        yield Said(rng.choice(_OFTEN).format(day), kind="episode", purpose=True)


_AGAIN = (
    "As I said, {1}",
    "{0} I told you before, I think.",
    "Just to remind you, {1}",
    "{0} Nothing new there.",
    "By the way, {1}",
    "And {1}",
)
_PEOPLE = "Ines Tarek Wendela Kofi Birgit Anselm Yusuf Marit Odile Piet".split()
_THINGS = "kettle lamp parcel ladder tent mixer curtain printer rucksack drill".split()
_ONCE = (
    "Had soup with {0} on {1}, the {2} was mended by then.",
    "The {2} came by post on {1} and cost {3} crowns.",
    "{0} rang on {1} about the {2}.",
    "Lost a glove near the mill on {1}, {0} found it.",
    "On {1} the {2} broke and {0} laughed.",
    "Paid {3} crowns for a {2} on {1}.",
)
_OFTEN = ("Swam in the lake on {0}.", "Watered the ferns on {0}.", "Sang in the choir on {0}.", "Took the night ferry on {0}.")
NOISE = (
    "Good morning!",
    "Can you make that shorter?",
    "Thanks, that is all for now.",
    "What is the capital of Peru?",
    "Please translate this into Danish: the sea is calm.",
    "Hm, I am not sure about that.",
    "Write me a limerick about a goat.",
    "It rained all day here.",
    "How do I convert a list to a set?",
    "Nice, let me try that.",
)


def _purpose(name: str, keys: str, values: str, told: Sequence[str], asked: Sequence[str]) -> Attribute:
    return Attribute(name, tuple(values.split("/")), tuple(told), tuple(asked), tuple(keys.split()))


def _told(name: str, values: str, told: Sequence[str], asked: Sequence[str]) -> Attribute:
    return Attribute(name, tuple(values.split("/")), tuple(told), tuple(asked))


ATTRIBUTES: tuple[Attribute, ...] = (
    _purpose(
        "wifi",
        "wifi_name name_of_wifi",
        "Kittiwake/Lanternfish/Moorhen/Saxifrage/Tamarack",
        ("The wifi at home is called {}.", "At home the wifi network answers to {}.", "Guests at home join the wifi {}."),
        ("What is the wifi at home called?", "Which wifi do guests join at home?"),
    ),
    _purpose(
        "dentist",
        "dentist",
        "Doctor Abara/Doctor Quist/Doctor Lindqvist/Doctor Okonjo/Doctor Varga",
        ("The dentist is {}.", "Teeth are looked after by {}, the dentist.", "{} does the fillings as a dentist."),
        ("Who is my dentist?", "Which dentist looks after my teeth?"),
    ),
    _purpose(
        "parking",
        "parking_bay bay_for_parking",
        "bay 17/bay 42/bay 63/bay 88/bay 105",
        (
            "The car stands in {} of the garage.",
            "{} of the garage is ours for the car.",
            "In the garage it is {} where the car goes.",
        ),
        ("Where does the car stand in the garage?", "Which bay of the garage is for the car?"),
    ),
    _purpose(
        "boat",
        "boat_name",
        "Petrel/Galatea/Wanderer/Bluejacket/Sandpiper",
        ("The sailing boat is the {}.", "We sail the {} on weekends.", "{} is painted on the bow of our boat."),
        ("What is our sailing boat called?", "Which boat do we sail?"),
    ),
    _purpose(
        "landlord",
        "landlord",
        "Mrs Holloway/Mr Piatkowski/Mrs Ferreira/Mr Anand/Mrs Sokolova",
        ("Rent goes to {}, the landlord.", "The landlord is {} and gets the rent.", "{} is the landlord and takes the rent."),
        ("Who is the landlord?", "Which landlord gets the rent?"),
    ),
    _purpose(
        "bakery",
        "favourite_bakery",
        "Crumb and Co/Marzipane/The Old Oven/Seeblick/Fournil",
        ("Bread comes from the bakery {}.", "The bakery to order bread from is {}.", "{} is the bakery with the rye bread."),
        ("Which bakery does our bread come from?", "From which bakery do we order the bread?"),
    ),
    _purpose(
        "gym_class",
        "gym_class class_of_gym",
        "pilates/spinning/capoeira/zumba/kettlebells",
        ("The class at the gym is {}.", "{} is the class taken at the gym.", "At the gym one goes to the {} class."),
        ("Which class is taken at the gym?", "What is the class at the gym?"),
    ),
    _purpose(
        "bank",
        "bank",
        "Nordbank/Credit Alpin/Harbour Savings/Banco Sol/Gardena Trust",
        ("The salary goes to the bank {}.", "The bank with the salary account is {}.", "{} is the bank that gets the salary."),
        ("Which bank gets my salary?", "At which bank is the salary account?"),
    ),
    _purpose(
        "physio",
        "physiotherapist",
        "Lorna/Matteo/Sunniva/Kaveh/Beatrix",
        (
            "{} treats the knee as physiotherapist.",
            "The physiotherapist for the knee is {}.",
            "Exercises for the knee are from the physiotherapist {}.",
        ),
        ("Which physiotherapist treats my knee?", "Who is the physiotherapist for the knee?"),
    ),
    _purpose(
        "insurance",
        "insurance_company insurance_of_car",
        "Aegidia/Fortuna Mutual/Helvia/Polaris Cover/Trident Life",
        (
            "The car is insured with {}.",
            "{} pays if the insured car is dented.",
            "Damage of the insured car is to be told to {}.",
        ),
        ("Who insures the car?", "Where is the car insured?"),
    ),
    _purpose(
        "printer",
        "office_printer",
        "Heron 3/Falcon 9/Osprey 5/Merlin 2/Kestrel 7",
        (
            "Letters come out of the printer {}.",
            "The printer for letters is {}.",
            "{} is the printer with the good paper for letters.",
        ),
        ("Which printer has the paper for letters?", "From which printer do letters come?"),
    ),
    _purpose(
        "supplier",
        "coffee_supplier",
        "Bergbohne/Cafe Duna/Roastery Nine/Tostado/Kaffekassen",
        ("Coffee beans are ordered at {}.", "{} sends the coffee beans.", "For coffee beans the supplier is {}."),
        ("Where are the coffee beans ordered?", "Who is the supplier of coffee beans?"),
    ),
    _told(
        "city",
        "Bergen/Ghent/Porto/Graz/Turku",
        ("I live in {}.", "My flat is in {}.", "Home is {} for me."),
        ("Where do I live?", "In which city is my flat?"),
    ),
    _told(
        "employer",
        "Northwind/Lumenta/Fabrikam/Ostara Labs/Juniper Rail",
        ("I work at {}.", "My employer is {}.", "I am a planner at {}."),
        ("Where do I work?", "Who is my employer?"),
    ),
    _told(
        "boss",
        "Ravi/Ottilie/Samuel/Ingrid/Dmitri",
        ("My boss is {}.", "I report to {} at work.", "{} is my manager."),
        ("Who is my boss?", "Whom do I report to at work?"),
    ),
    _told(
        "lunch",
        "lentil soup/smoked trout/falafel/potato gratin/ramen",
        ("For lunch I prefer {}.", "I usually have {} for lunch.", "My favourite lunch is {}."),
        ("What do I prefer for lunch?", "What is my favourite lunch?"),
    ),
    _told(
        "instrument",
        "cello/bassoon/mandolin/accordion/oboe",
        ("I play the {}.", "My instrument is the {}.", "I practise the {} in the evenings."),
        ("Which instrument do I play?", "What do I practise in the evenings?"),
    ),
    _told(
        "editor",
        "Emacs/Helix/Zed/Kakoune/Geany",
        ("I use {} as my editor.", "My editor is {}.", "I write code in {}."),
        ("Which editor do I use?", "What do I write code in?"),
    ),
    _told(
        "train",
        "line 4/line 9/line 12/line 16/line 23",
        ("I take {} to work.", "My train to work is {}.", "{} brings me to the office."),
        ("Which train do I take to work?", "Which line brings me to the office?"),
    ),
    _told(
        "allergy",
        "hazelnuts/shellfish/celery/mustard/sesame",
        ("I am allergic to {}.", "I can't eat {}, I am allergic.", "{} gives me a rash, I am allergic to it."),
        ("What am I allergic to?", "Which food gives me a rash?"),
    ),
)
