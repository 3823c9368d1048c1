"""Words for one thing: the broad classes by which a truck and a lorry, a rate and a price, a region and a host are of one sort.

A class says what an attribute is about, never which value it has; two statements that share one are perhaps of one attribute.
English, and the common words of German and Spanish. Values that name their attribute by themselves belong to its class too: a
town tells a place, an hour a time.
"""

from __future__ import annotations

from functools import lru_cache

from onrecord.policy.language.text import terms

_CLASSES = {
    "price": "price prices rate rates cost costs fee fees charge charges charged tariff quote quotes pay pays paid "
    "pricing invoice bill billed guarantee preis kosten satz tarif precio tarifa cuesta",
    "budget": "budget budgets ceiling envelope spend spending allowance funds money cash bank loan afford budgeted kitty grant",
    "place": "live lives living based home house flat apartment address street road town city move moved moving "
    "relocated resident lease rent premises wohne wohnung adresse strasse vivo casa calle direccion",
    "delivery": "deliver delivers delivered delivery deliveries courier parcel parcels post mail package packages drop "
    "dropoff shipment ship ships shipped shipping depot collection lieferung paket envio paquete",
    "hosting": "host hosts hosted hosting region regions deploy deploys deployed deployment server servers cluster "
    "datacenter cloud runs machine production zone failover",
    "release": "release releases released releasing ship ships shipped rollout rolls deploy deploys deployed deployment "
    "live canary publish published",
    "database": "database databases db postgres postgresql mysql mariadb sqlite mongo mongodb dynamo dynamodb redis "
    "replica warehouse",
    "runtime": "python interpreter runtime env environment node java jdk version versions ruby rust compiler toolchain "
    "kernel conda venv image",
    "editor": "editor ide vim vscode emacs neovim pycharm intellij jetbrains zed",
    "testing": "test tests testing tested pytest ci suite build builds pipeline lint linter checks jest",
    "branch": "branch branches trunk main master develop merge merges merged rebase squash",
    "alerting": "alert alerts alerting page pages paged pager pagerduty opsgenie oncall on-call escalate incident incidents",
    "chat": "slack teams signal whatsapp telegram channel thread chat discord message messages messaging text texts sms dm",
    "contact": "call calls ring rings phone phones phoned telephone email emails e-mail mail mails text texts sms reach "
    "contact write letter letters anrufen telefon handy nummer llamar llama telefono correo",
    "meeting": "meeting meetings standup stand-up call sync retro review catchup catch-up demo session sessions slot "
    "slots appointment termin cita reunion",
    "hours": "open opens opening close closes closing hours hour shift shifts start starts begin begins finish finishes "
    "early late earliest latest before after morning mornings evening evenings noon uhr desk",
    "day_off": "off free day weekday weekdays rest closed shut shutters holiday leave unavailable available rota roster "
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag "
    "lunes martes miercoles jueves viernes frei libre",
    "pickup": "pick pickup picks collect collects collecting fetch fetches school nursery daycare after-school "
    "kindergarten drop recoge abholen",
    "vehicle": "car cars van vans truck trucks lorry lorries tonner drive drives driving bike bikes bicycle scooter tram "
    "bus train trains commute rides ride vehicle auto velo coche bici",
    "diet": "eat eats eating diet vegan vegetarian pescatarian meat fish dairy gluten food meals lunch dinner "
    "breakfast esse isst vegetarisch como come",
    "allergy": "allergy allergic allergies hives rash reacts reaction intolerant intolerance epipen anaphylaxis swell "
    "swells throat nuts nut cashew cashews peanut peanuts penicillin latex nickel allergisch allergie alergia "
    "alergico",
    "drink": "coffee tea espresso oat milk drink drinks drinking beer wine decaf kaffee cafe",
    "medicine": "medicine medication dose doses mg pill pills tablet tablets prescription insulin metformin ibuprofen drug "
    "drugs antibiotic antibiotics basal medikament medicina pastilla pastillas",
    "doctor": "doctor doctors dr gp physician dentist surgeon clinic vet consultant therapist nurse physio arzt medico",
    "boss": "boss manager lead reports reporting supervisor head director chair chairs chef jefe",
    "role": "role job title position work works working employed joined company employer left started quit arbeite trabajo",
    "owner": "owner owns owned responsible charge runs handles maintains maintainer keeper contact person looks signs "
    "approves approver approval signoff deputy",
    "supplier": "supplier suppliers supplies vendor vendors buy buys bought brings bring source sourced order orders "
    "wholesaler mill dairy provider from lieferant proveedor",
    "tool": "tool tools use uses using app software program switched switch licence license package library framework open opens",
    "limit": "limit limits cap capped maximum max minimum min most least more fewer ceiling stops ends threshold floor "
    "up under over above below within",
    "count": "number count quantity many loaves pieces seats people guests copies items head heads hands",
    "notice": "notice ahead advance lead warning beforehand prior deadline due submit",
    "payment": "invoice invoices invoiced settle settled settlement payment terms due net days pay pays paid",
    "retention": "keep keeps kept retain retained retention dumps dump backup backups logs archive archived delete deleted "
    "purge dropped wiped wipe snapshots",
    "schedule": "schedule scheduled weekly daily nightly monthly cron job runs run every fortnight fortnightly twice rota "
    "calendar",
    "format": "format layout bullets bullet list table prose short long headings columns png svg pdf csv font paper print style",
    "language": "language english german spanish french dutch italian japanese maori spelling british american translate "
    "speak speaks write romaji kana kanji deutsch englisch espanol ingles",
    "name": "name named call called nickname goes known rename renamed",
    "storage": "kept keep stored store stores lives drawer shelf cupboard cabinet safe folder drive nas bucket key keys "
    "location where sits",
    "size": "size sizes small medium large wide narrow tall height width length metres meters cm mm feet inches",
    "temperature": "temperature degrees heating heat thermostat oven freezer fridge warm cool cold celsius",
    "speed": "speed fast slow rpm cadence mph kmh pace tempo",
    "school": "school class classes teacher course courses exam exams study studies university college grade term lesson lessons",
    "sport": "gym run running swim swimming train training ride race match team practice yoga climb climbing marathon brevet",
    "music": "band gig rehearsal rehearse rehearsals concert choir play plays piano guitar violin song",
    "pet": "dog dogs cat cats puppy kitten pet pets rabbit horse hen hens feed feeds walk walks",
    "family": "wife husband partner son daughter mother father mum mom dad sister brother cousin aunt uncle nephew niece "
    "baby kids child children grandmother grandfather",
    "insurance": "insurance insure insured cover covers covered policy claim theft contents excess premium versicherung seguro",
    "access": "access allowed admitted permission entry enter enters door gate badge pass code keypad restricted "
    "basement cellar closed sealed readers",
    "clothing": "wear wears shoe shoes jacket shirt size uniform costume costumes boots helmet",
    "travel": "fly flies flying flight flights airport seat aisle window hotel hotels trip travel travels station",
    "floor": "floor tiles tile paint wall walls colour color grey green hexagons terrazzo wood oak carpet",
    "bank": "account iban bank card direct debit transfer payee",
    "event": "event race wedding party conference launch festival goal competition tournament brevet start grand depart entered",
    "filter": "filter filters filtered band hz detector detection detections detect method algorithm model threshold",
    "storage_fee": "subscription plan tier seats licence monthly yearly annual renew renews renewal",
    "washing": "wash washes washing softener conditioner detergent laundry dry dryer bleach",
    "copying": "copy copier photocopy photocopier scan scans scanning photograph photography flash camera",
}
_CLASS_OF: dict[str, frozenset[str]] = {}
for _name, _words in _CLASSES.items():
    for _word in _words.split():
        for _term in terms(_word):
            _CLASS_OF[_term] = _CLASS_OF.get(_term, frozenset()) | {_name}


@lru_cache(maxsize=8192)
def concepts(text: str) -> frozenset[str]:
    """The classes that the words of ``text`` belong to."""
    return frozenset().union(*(_CLASS_OF.get(term, frozenset()) for term in terms(text)))
