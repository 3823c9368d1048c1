"""The attributes that agents meet most, one entry each: key, aliases, cues, and how values of it behave.

Cues are words as people say them, in questions and in statements; case, accents and endings do not matter. They are separated by
``|``. The words of the key and of its aliases are cues too.
"""

from __future__ import annotations

from dataclasses import dataclass

from onrecord.model.record import Cardinality, Kind


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of a subject.

    ``single`` keys hold one value at a time, ``multi`` several. ``kind`` is what a statement of it usually is. ``identity``
    marks what does not lapse with the years (name, birthday, allergy). ``cues`` are phrases that tell that it is meant.
    """

    key: str
    aliases: tuple[str, ...] = ()
    cardinality: Cardinality = Cardinality.SINGLE
    kind: Kind = Kind.STATED_FACT
    identity: bool = False
    cues: tuple[str, ...] = ()


def _one(key: str, aliases: str, cues: str, kind: Kind = Kind.STATED_FACT, *, identity: bool = False) -> Attribute:
    return Attribute(key, tuple(aliases.split()), Cardinality.SINGLE, kind, identity, _split(cues))


def _many(key: str, aliases: str, cues: str, kind: Kind = Kind.STATED_FACT, *, identity: bool = False) -> Attribute:
    return Attribute(key, tuple(aliases.split()), Cardinality.MULTI, kind, identity, _split(cues))


def _split(cues: str) -> tuple[str, ...]:
    return tuple(cue.strip() for cue in cues.split("|") if cue.strip())


_FACT, _TASTE, _RULE, _BOND = Kind.STATED_FACT, Kind.PREFERENCE, Kind.CONSTRAINT, Kind.RELATIONSHIP

ATTRIBUTES: tuple[Attribute, ...] = (
    # who somebody is
    _one("name", "full_name real_name user_name", "my name is|her name is|his name is|your name|what am i called|my name|me llamo|ich heiße|"
         "mein name|je m'appelle|mon nom|名前", identity=True),
    _one("nickname", "preferred_name call_me goes_by", "call me|goes by|go by|known as|nenn mich|dime|appelle moi|呼んで", _TASTE),
    _one("pronouns", "gender_pronouns", "she her|he him|they them|what pronouns|pronomen", identity=True),
    _one("birthday", "birth_date date_of_birth dob birthdate", "born on|was born|when was i born|my birthday|cumpleaños|geburtstag|"
         "anniversaire|誕生日|生日", identity=True),
    _one("age", "years_old", "how old|years old|jahre alt|tengo años|quel âge|何歳"),
    _one("nationality", "citizenship passport_country", "which passport|citizen of|staatsbürger|nacionalidad|nationalité|国籍", identity=True),
    _one("blood_type", "blood_group", "type of blood|blutgruppe|grupo sanguíneo|血液型", identity=True),
    _one("handedness", "dominant_hand", "left handed|right handed|left hander|linkshänder|zurdo|gaucher|左利き", identity=True),
    _one("height", "body_height", "how tall|cm tall"),
    _one("shoe_size", "boot_size", "size shoe|size boots|shoes do i wear|schuhgröße|pointure|talla de zapato"),
    _one("clothing_size", "shirt_size t_shirt_size dress_size", "size shirt|shirt in size|konfektionsgröße|talla de ropa"),
    _many("accessibility", "disability access_needs", "wheelchair|colour blind|color blind|colourblind|hard of hearing|deaf|dyslexic|"
          "screen reader|step free|ground floor|crutch", _RULE, identity=True),
    # where and when
    _one("home_city", "city lives_in location residence hometown_now", "where do i live|where does she live|where does he live|i live in|lives in|"
         "moved to|based in|wohne in|wohnt in|vivo en|vive en|habite à|j'habite|住んで|住在"),
    _one("hometown", "birthplace place_of_birth grew_up_in", "grew up in|born in|come from originally|originally from|aufgewachsen|crecí en", identity=True),
    _one("country", "country_of_residence", "which country|what country|in welchem land"),
    _one("address", "home_address postal_address shipping_address delivery_address street_address", "where do parcels go|send it to|ship to|deliver to|"
         "my address|street address|anschrift|adresse|dirección|住所|地址"),
    _one("timezone", "time_zone tz utc_offset", "what time zone|zeitzone|zona horaria|fuseau horaire|タイムゾーン|时区"),
    _one("commute", "way_to_work", "get to work|cycle to work|drive to work|commutes"),
    _one("workplace", "office office_location", "where do i work from|my office|office is in|büro|oficina|bureau est"),
    # language and manner
    _one("language", "preferred_language reply_language locale", "which language|what language|reply in|answer in|write to me in|speak to me in|auf deutsch|"
         "en español|en français|sprache|idioma|langue|日本語で|言語", _TASTE),
    _one("native_language", "mother_tongue first_language", "muttersprache|lengua materna|langue maternelle|母語", identity=True),
    _many("spoken_language", "languages speaks", "i speak|she speaks|he speaks|fluent in|spreche|hablo|je parle"),
    _one("tone", "voice writing_tone style_of_address formality", "be formal|be informal|formal tone|friendly tone|duzen|siezen|tutoyer|how should you talk|"
         "tutear", _TASTE),
    _one("answer_length", "verbosity response_length answer_style", "keep it short|short answers|long answers|bullet points|be brief|be concise|"
         "how long should answers|in detail|kurz fassen", _TASTE),
    _one("spelling", "spelling_variant english_variant", "british spelling|american spelling|british english|american english", _TASTE),
    _one("units", "unit_system measurement_units", "metric|imperial|in miles|in kilometres|in kilometers|fahrenheit|celsius", _TASTE),
    _one("currency", "preferred_currency billing_currency", "in euros|in dollars|which currency|what currency|pays us in|währung|moneda|devise|通貨", _TASTE),
    _one("date_format", "time_format clock_format", "24 hour clock|12 hour clock|day first|month first|iso dates", _TASTE),
    _one("rounding", "number_format decimals", "whole dollars|no cents|to the penny|to the cent|decimal places|nachkommastellen", _TASTE),
    # contact
    _one("contact_channel", "preferred_contact contact_method preferred_channel contact_preference channel how_to_contact",
         "how should i contact|how should we contact|how to contact|how do i reach|how can i reach|how do we reach|contact me by|contact me via|contact me on|"
         "reach me by|reach me on|reach me at|reach me via|best way to reach|prefers email|prefers phone|prefer email|prefer phone|prefer to be called|"
         "not by phone|text me|get in touch|erreichen|kontaktieren|contactarme|contactar|me contacter|me joindre|joindre|連絡方法|連絡は", _TASTE),
    _one("contact_hours", "call_window call_hours contact_time quiet_hours", "when can i call|when to call|calls before|calls after|call before|call after|ring before|"
         "don't call before|earliest we may|reach me before|anrufe vor|antes de llamar|appeler avant|電話は", _RULE),
    _one("contact_person", "point_of_contact main_contact", "who do i contact|who is the contact|who should i talk to|ansprechpartner|persona de contacto"),
    _many("phone", "phone_number mobile telephone cell telephone_number mobile_number", "my number|call me on|call me at|rufnummer|telefonnummer|handynummer|"
          "número de teléfono|numéro de téléphone|電話番号"),
    _many("email", "email_address mail e_mail e_mail_address", "my email|email address|write to me at|mailadresse|correo|courriel|メールアドレス|邮箱"),
    _many("handle", "username github_username slack_handle account_name", "my handle|on github i am|benutzername"),
    _one("emergency_contact", "ice_contact", "in an emergency call|notfallkontakt"),
    # body
    _one("diet", "dietary_preference eating_habits", "vegetarian|vegan|pescatarian|halal|kosher|keto|what do i eat|don't eat|do not eat|doesn't eat|eats no|"
         "vegetarier|vegetarisch|vegano|vegetariana|végétarien|ベジタリアン|素食", _RULE),
    _many("allergy", "allergies allergic_to intolerance food_allergy", "allergic|intolerant|rash|welts|anaphylaxis|allergisch|alérgico|alérgica|allergique|"
          "アレルギー|过敏", _RULE, identity=True),
    _many("medication", "medications medicine drug prescription", "i take|on insulin|mg of|tablets|pills|prescribed|medikament|medicamento|médicament|薬"),
    _many("health_condition", "condition diagnosis illness", "diagnosed with|diabetic|diabetes|asthma|epilepsy|migraine|pregnant|krankheit|enfermedad|maladie"),
    _one("doctor", "preferred_doctor physician gp", "my doctor|which doctor|see dr|hausarzt|médico|médecin|主治医"),
    _one("pharmacy", "preferred_pharmacy chemist", "which pharmacy|send the prescription|apotheke|farmacia|pharmacie|薬局"),
    _one("coffee_order", "drink_order usual_drink", "my coffee|takes coffee|drink my coffee|tea with|sugar in", _TASTE),
    # people and animals
    _one("partner", "spouse husband wife girlfriend boyfriend fiance fiancee", "married to|my husband|my wife|my partner|verheiratet mit|meine frau|mein mann|"
         "mi esposa|mi marido|mon mari|ma femme|妻|夫", _BOND),
    _many("child", "children kids son daughter", "my son|my daughter|my kids|my children|meine tochter|mein sohn|mi hija|mi hijo|ma fille|mon fils|娘|息子", _BOND),
    _many("sibling", "siblings brother sister", "my brother|my sister|mein bruder|meine schwester|mi hermana|mi hermano|mon frère|ma sœur", _BOND),
    _many("parent", "parents mother father mom mum dad", "my mother|my father|my mom|my mum|my dad|meine mutter|mein vater|mi madre|mi padre", _BOND),
    _many("friend", "friends best_friend", "my friend|friend of mine|mein freund|meine freundin|mi amiga|mi amigo", _BOND),
    _many("pet", "pets dog cat", "my dog|my cat|our dog|our cat|dog called|cat called|dog is called|mein hund|meine katze|mi perro|mi gato|mon chien|mon chat|"
          "犬|猫|ペット", _BOND),
    _many("neighbour", "neighbor", "next door", _BOND),
    # work
    _one("employer", "company works_at works_for current_employer organisation organization", "where do i work|where does she work|where does he work|works at|work at|"
         "works for|work for|job at|started at|new job at|arbeite bei|arbeitet bei|trabajo en|trabaja en|travaille chez|会社|勤め"),
    _one("job_title", "role position occupation profession job title", "what do i do for a living|works as|work as|i'm a|job as|my job|beruf|trabajo de|trabajo como|"
         "métier|travaille comme|職業|仕事は"),
    _one("manager", "boss supervisor line_manager reports_to", "report to|reports to|my boss|my manager|vorgesetzte|mi jefa|mi jefe|mon chef|上司", _BOND),
    _many("direct_report", "reports team_members", "reports to me|i manage|my reports", _BOND),
    _one("team", "squad department group", "which team|on the team|my team|abteilung|equipo|équipe|部署"),
    _many("project", "projects current_project", "working on|which project|project called|arbeite an|proyecto|projet|プロジェクト"),
    _many("skill", "skills expertise", "good at|experienced in|expert in"),
    _one("working_hours", "work_hours office_hours shift work_schedule schedule", "what hours|work from|works from|i start at|finish at|on nights|night shift|day shift|"
         "arbeitszeit|horario|horaires|勤務時間"),
    _one("working_days", "work_days days_off day_off", "which days|days a week|don't work on|off on|not in on|arbeitstage|días laborables|jours de travail"),
    _one("meeting_free", "no_meeting_day focus_time no_meetings meeting_preference", "no meetings|meeting free|keep free of meetings|focus day|book meetings|"
         "schedule meetings|meetings before|meetings after|keine termine|sin reuniones|pas de réunion", _RULE),
    _one("calendar", "calendar_app", "which calendar|google calendar|outlook calendar"),
    _one("deadline", "due_date due", "due on|due by|when is it due|deadline is|fällig|frist|fecha límite|échéance|date limite|締め切り"),
    _one("launch_date", "release_date go_live ship_date", "when do we launch|launches on|goes live|ships on|go live"),
    _one("deploy_day", "release_day", "which day do we deploy|deploy on|ships on mondays|release on"),
    _one("approver", "signoff sign_off refund_signoff approval", "who signs off|who approves|approved by|sign off by|needs approval|freigabe", _RULE),
    _one("owner", "responsible code_owner maintainer", "who owns|owned by|in charge of|responsible for|zuständig|responsable"),
    # money
    _one("budget", "spending_limit cap spending_cap", "how much can we spend|how much may i spend|spend more than|at most spend|cap of|presupuesto|budget est|予算", _RULE),
    _one("discount_limit", "discount max_discount discount_authority", "percent off|how much discount|discounts up to|rabatt|descuento|remise", _RULE),
    _one("price_plan", "subscription plan tier", "which plan|on the plan|premium plan|tarif"),
    _one("payment_method", "pays_with billing_method", "pay by|pays by|pay with|how does she pay|how does he pay|on invoice|zahlungsart|zahle mit|forma de pago|"
         "mode de paiement|支払い方法", _TASTE),
    _one("payment_terms", "invoice_terms billing_terms", "net 30|days net|pay within|zahlungsziel"),
    _one("invoice_address", "billing_address billing_contact", "where do invoices go|send invoices|invoices for|rechnungsadresse|facturación|facturation"),
    _one("refund_method", "refund_preference", "how do i refund|refunds go|store credit|back to the card|rückerstattung|reembolso|remboursement", _TASTE),
    _one("rent_due", "rent_day", "rent is due|rent due|when is the rent|miete fällig"),
    # home and travel
    _one("vehicle", "car bike motorbike", "i drive a|drives a|my car|what car|mein auto|mi coche|ma voiture|車は"),
    _one("seat", "seat_preference preferred_seat", "window seat|aisle seat|which seat|fensterplatz|gangplatz|ventanilla|pasillo|hublot|couloir|窓側|通路側", _TASTE),
    _one("airline", "preferred_airline", "fly with|flies with|which airline|fluggesellschaft", _TASTE),
    _one("home_airport", "airport departure_airport", "fly from|flies from|which airport|flughafen|aeropuerto|aéroport"),
    _one("hotel_preference", "hotel room_preference", "which hotel|quiet room|high floor|non smoking room", _TASTE),
    _many("loyalty_number", "frequent_flyer membership_number", "frequent flyer number|member number|miles and more|bahncard"),
    _one("delivery_instructions", "delivery_note drop_off", "leave it with|leave parcels|deliver only|leave at the door|parcel locker|with the neighbour|"
         "paket|entrega|livraison|置き配", _RULE),
    _one("bin_day", "recycling_day trash_day", "bins go out|recycling goes out|rubbish day|garbage day|müllabfuhr"),
    _one("temperature", "room_temperature thermostat night_temperature", "degrees|how warm|thermostat|heating|grad|grados|degrés|室温", _TASTE),
    _one("wake_time", "alarm_time wake_up_time", "wake me|get up at|gets up at|wake up at|aufstehen|despertar|réveil", _TASTE),
    _one("bedtime", "sleep_time", "go to bed|goes to bed|asleep by|ins bett"),
    # taste
    _many("hobby", "hobbies interest interests pastime", "in my free time|spare time|i play|hobbys|freizeit|tiempo libre|loisirs|趣味", _TASTE),
    _many("like", "likes loves", "i like|i love|i enjoy|fond of|likes to", _TASTE),
    _many("dislike", "dislikes hates", "i hate|i dislike|can't stand|cannot stand|i don't like|doesn't like|loathe|detest", _TASTE),
    _one("music", "music_taste genre", "listen to|what music|musik|música|musique|音楽", _TASTE),
    _one("cuisine", "food_preference", "which food|what food|kind of food|essen gern", _TASTE),
    # software
    _one("editor", "ide code_editor", "which editor|i use vim|vscode|vs code|neovim|emacs|jetbrains", _TASTE),
    _one("package_manager", "dependency_manager", "npm|pnpm|yarn|uv|poetry|install packages|install dependencies", _RULE),
    _one("programming_language", "coding_language", "in which language is|written in python|written in rust|programmiersprache"),
    _one("framework", "web_framework", "which framework|built with"),
    _one("test_command", "run_tests tests test_runner", "how do i run the tests|how to run tests|run the tests with|tests run with|run tests"),
    _one("build_command", "build", "how do i build|how to build|build it with"),
    _one("lint_command", "linter formatter", "run the linter|format with|lint with"),
    _one("branch", "target_branch pr_target_branch default_branch base_branch", "prs go against|prs target|merge into|branch off|which branch|pull requests go"),
    _one("merge_strategy", "merge_style", "squash merge|squash merges|rebase merge|force push", _RULE),
    _one("commit_style", "commit_message_style commit_format", "conventional commits|commit messages", _RULE),
    _one("deploy_target", "hosting deployment_target environment", "deploy to|deploys to|where do we deploy|hosted on|runs on"),
    _one("database", "database_version db", "which database|postgres|mysql|sqlite"),
    _one("rate_limit", "request_limit", "requests a minute|requests per|how many requests|per minute per key", _RULE),
    _many("code_style", "coding_style style_guide coding_convention", "tabs or spaces|type hints|indent|naming convention|docstrings|line length", _RULE),
    _one("operating_system", "os platform", "i'm on linux|on macos|on windows|which os|betriebssystem"),
    _one("theme", "dark_mode color_scheme", "dark mode|light mode|dark theme|light theme", _TASTE),
    _many("tool", "tools tooling", "which tool|we use", _FACT),
)  # fmt: skip
