"""The attributes that agents meet most: key, aliases, cues, and how values of it behave.

Cues are words as people say them, in questions and in statements; case, accents and endings do not matter. The words of the key
and of its aliases are cues too. In the table a line names the key, its cardinality and kind; ``=`` its aliases, ``~`` its cues.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

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


_TABLE = """\
# who somebody is
name: single stated_fact identity
  = full_name real_name user_name
  ~ my name is, her name is, his name is, your name, what am i called, my name, me llamo, ich heiße, mein name,
  ~ je m'appelle, mon nom, 名前
nickname: single preference
  = preferred_name call_me goes_by
  ~ call me, goes by, go by, known as, nenn mich, dime, appelle moi, 呼んで
pronouns: single stated_fact identity
  = gender_pronouns
  ~ she her, he him, they them, what pronouns, pronomen
birthday: single stated_fact identity
  = birth_date date_of_birth dob birthdate
  ~ born on, was born, when was i born, my birthday, cumpleaños, geburtstag, anniversaire, 誕生日, 生日
age: single stated_fact
  = years_old
  ~ how old, years old, jahre alt, tengo años, quel âge, 何歳
nationality: single stated_fact identity
  = citizenship passport_country
  ~ which passport, citizen of, staatsbürger, nacionalidad, nationalité, 国籍
blood_type: single stated_fact identity
  = blood_group
  ~ type of blood, blutgruppe, grupo sanguíneo, 血液型
handedness: single stated_fact identity
  = dominant_hand
  ~ left handed, right handed, left hander, linkshänder, zurdo, gaucher, 左利き
height: single stated_fact
  = body_height
  ~ how tall, cm tall
shoe_size: single stated_fact
  = boot_size
  ~ size shoe, size boots, shoes do i wear, schuhgröße, pointure, talla de zapato
clothing_size: single stated_fact
  = shirt_size t_shirt_size dress_size
  ~ size shirt, shirt in size, konfektionsgröße, talla de ropa
accessibility: multi constraint identity
  = disability access_needs
  ~ wheelchair, colour blind, color blind, colourblind, hard of hearing, deaf, dyslexic, screen reader, step free,
  ~ ground floor, crutch

# where and when
home_city: single stated_fact
  = city lives_in location residence hometown_now
  ~ where do i live, which city do i live, what city do i live, i live in, lives in, moved to, based in, wohne in,
  ~ wohnt in, vivo en, vive en, habite à, j'habite, 住んで, 住在
hometown: single stated_fact identity
  = birthplace place_of_birth grew_up_in
  ~ grew up in, born in, come from originally, originally from, aufgewachsen, crecí en
country: single stated_fact
  = country_of_residence
  ~ which country, what country, in welchem land
address: single stated_fact
  = home_address postal_address shipping_address delivery_address street_address
  ~ where do parcels go, ship to, deliver to, my address, street address, anschrift, adresse, dirección,
  ~ 住所, 地址
timezone: single stated_fact
  = time_zone tz utc_offset
  ~ what time zone, zeitzone, zona horaria, fuseau horaire, タイムゾーン, 时区
commute: single stated_fact
  = way_to_work
  ~ get to work, cycle to work, drive to work, commutes
workplace: single stated_fact
  = office office_location
  ~ where do i work from, my office, office is in, büro, oficina, bureau est

# language and manner
language: single preference
  = preferred_language reply_language locale
  ~ which language, what language, reply in, answer in, write to me in, speak to me in, auf deutsch, en español,
  ~ en français, sprache, idioma, langue, 日本語で, 言語
native_language: single stated_fact identity
  = mother_tongue first_language
  ~ muttersprache, lengua materna, langue maternelle, 母語
spoken_language: multi stated_fact
  = languages speaks
  ~ she speaks, he speaks, fluent in, spreche, hablo, je parle
tone: single preference
  = voice writing_tone style_of_address formality
  ~ be formal, be informal, formal tone, friendly tone, duzen, siezen, tutoyer, how should you talk, tutear
answer_length: single preference
  = verbosity response_length answer_style
  ~ keep it short, short answers, long answers, bullet points, be brief, be concise, how long should answers,
  ~ in detail, kurz fassen
spelling: single preference
  = spelling_variant english_variant
  ~ british spelling, american spelling, british english, american english
units: single preference
  = unit_system measurement_units
  ~ metric, imperial, in miles, in kilometres, in kilometers, fahrenheit, celsius
currency: single preference
  = preferred_currency billing_currency
  ~ in euros, in dollars, which currency, what currency, pays us in, währung, moneda, devise, 通貨
date_format: single preference
  = time_format clock_format
  ~ 24 hour clock, 12 hour clock, day first, month first, iso dates
rounding: single preference
  = number_format decimals
  ~ whole dollars, no cents, to the penny, to the cent, decimal places, nachkommastellen

# contact
contact_channel: single preference
  = preferred_contact contact_method preferred_channel contact_preference channel how_to_contact
  ~ how should i contact, how should we contact, how to contact, how do i reach, how can i reach, how do we reach,
  ~ contact me by, contact me via, contact me on, reach me by, reach me on, reach me at, reach me via,
  ~ best way to reach, prefers email, prefers phone, prefer email, prefer phone, prefer to be called, not by phone,
  ~ text me, get in touch, erreichen, kontaktieren, contactarme, contactar, me contacter, me joindre, joindre, 連絡方法,
  ~ 連絡は
contact_hours: single constraint
  = call_window call_hours contact_time quiet_hours
  ~ when can i call, when to call, calls before, calls after, call before, call after, ring before, don't call before,
  ~ earliest we may, reach me before, anrufe vor, antes de llamar, appeler avant, 電話は
contact_person: single stated_fact
  = point_of_contact main_contact
  ~ who do i contact, who is the contact, who should i talk to, ansprechpartner, persona de contacto
phone: multi stated_fact
  = phone_number mobile telephone cell telephone_number mobile_number
  ~ my number, call me on, call me at, rufnummer, telefonnummer, handynummer, número de teléfono, numéro de téléphone,
  ~ 電話番号
email: multi stated_fact
  = email_address mail e_mail e_mail_address
  ~ my email, email address, write to me at, mailadresse, correo, courriel, メールアドレス, 邮箱
handle: multi stated_fact
  = username github_username slack_handle account_name
  ~ my handle, on github i am, benutzername
emergency_contact: single stated_fact
  = ice_contact
  ~ in an emergency call, notfallkontakt

# body
diet: single constraint
  = dietary_preference eating_habits
  ~ vegetarian, vegan, pescatarian, halal, kosher, keto, what do i eat, don't eat, do not eat, doesn't eat, eats no,
  ~ vegetarier, vegetarisch, vegano, vegetariana, végétarien, ベジタリアン, 素食
allergy: multi constraint identity
  = allergies allergic_to intolerance food_allergy
  ~ allergic, intolerant, rash, welts, anaphylaxis, allergisch, alérgico, alérgica, allergique, アレルギー, 过敏
medication: multi stated_fact
  = medications medicine drug prescription
  ~ i take, on insulin, mg of, tablets, pills, prescribed, medikament, medicamento, médicament, 薬
health_condition: multi stated_fact
  = condition diagnosis illness
  ~ diagnosed with, diabetic, diabetes, asthma, epilepsy, migraine, pregnant, krankheit, enfermedad, maladie
doctor: single stated_fact
  = preferred_doctor physician gp
  ~ my doctor, which doctor, see dr, hausarzt, médico, médecin, 主治医
pharmacy: single stated_fact
  = preferred_pharmacy chemist
  ~ which pharmacy, send the prescription, apotheke, farmacia, pharmacie, 薬局
coffee_order: single preference
  = drink_order usual_drink
  ~ my coffee, takes coffee, drink my coffee, tea with, sugar in

# people and animals
partner: single relationship
  = spouse husband wife girlfriend boyfriend fiance fiancee
  ~ married to, my husband, my wife, my partner, verheiratet mit, meine frau, mein mann, mi esposa, mi marido,
  ~ mon mari, ma femme, 妻, 夫
child: multi relationship
  = children kids son daughter
  ~ my son, my daughter, my kids, my children, meine tochter, mein sohn, mi hija, mi hijo, ma fille, mon fils, 娘, 息子
sibling: multi relationship
  = siblings brother sister
  ~ my brother, my sister, mein bruder, meine schwester, mi hermana, mi hermano, mon frère, ma sœur
parent: multi relationship
  = parents mother father mom mum dad
  ~ my mother, my father, my mom, my mum, my dad, meine mutter, mein vater, mi madre, mi padre
friend: multi relationship
  = friends best_friend
  ~ my friend, friend of mine, mein freund, meine freundin, mi amiga, mi amigo
pet: multi relationship
  = pets dog cat
  ~ my dog, my cat, our dog, our cat, dog called, cat called, dog is called, mein hund, meine katze, mi perro,
  ~ mi gato, mon chien, mon chat, 犬, 猫, ペット
neighbour: multi relationship
  = neighbor
  ~ next door

# work
employer: single stated_fact
  = company works_at works_for current_employer organisation organization
  ~ where i work, where do i work, where does she work, where does he work, works at, work at, works for, work for, job at,
  ~ started at, new job at, arbeite bei, arbeitet bei, trabajo en, trabaja en, travaille chez, 会社, 勤め
job_title: single stated_fact
  = role position occupation profession job title
  ~ what do i do for a living, works as, work as, i'm a, job as, my job, beruf, trabajo de, trabajo como, métier,
  ~ travaille comme, 職業, 仕事は
manager: single relationship
  = boss supervisor line_manager reports_to
  ~ report to, reports to, my boss, my manager, vorgesetzte, mi jefa, mi jefe, mon chef, 上司
direct_report: multi relationship
  = reports team_members
  ~ reports to me, i manage, my reports
team: single stated_fact
  = squad department group
  ~ which team, on the team, my team, abteilung, equipo, équipe, 部署
project: multi stated_fact
  = projects current_project
  ~ working on, which project, project called, arbeite an, proyecto, projet, プロジェクト
skill: multi stated_fact
  = skills expertise
  ~ good at, experienced in, expert in
working_hours: single stated_fact
  = work_hours office_hours shift work_schedule schedule
  ~ what hours, work from, works from, i start at, finish at, on nights, night shift, day shift, arbeitszeit, horario,
  ~ horaires, 勤務時間
working_days: single stated_fact
  = work_days days_off day_off
  ~ which days, days a week, don't work on, off on, not in on, arbeitstage, días laborables, jours de travail
meeting_free: single constraint
  = no_meeting_day focus_time no_meetings meeting_preference
  ~ no meetings, meeting free, keep free of meetings, focus day, book meetings, schedule meetings, meetings before,
  ~ meetings after, keine termine, sin reuniones, pas de réunion
calendar: single stated_fact
  = calendar_app
  ~ which calendar, google calendar, outlook calendar
deadline: single stated_fact
  = due_date due
  ~ due on, due by, when is it due, deadline is, fällig, frist, fecha límite, échéance, date limite, 締め切り
launch_date: single stated_fact
  = release_date go_live ship_date
  ~ when do we launch, launches on, goes live, ships on, go live
deploy_day: single stated_fact
  = release_day
  ~ which day do we deploy, deploy on, ships on, release on
approver: single constraint
  = signoff sign_off refund_signoff approval
  ~ who signs off, who approves, approved by, sign off by, needs approval, freigabe
owner: single stated_fact
  = responsible code_owner maintainer
  ~ who owns, owned by, in charge of, responsible for, zuständig, responsable

# money
budget: single constraint
  = spending_limit cap spending_cap
  ~ how much can we spend, how much may i spend, spend more than, at most spend, cap of, presupuesto, budget est, 予算
discount_limit: single constraint
  = discount max_discount discount_authority
  ~ percent off, how much discount, discounts up to, rabatt, descuento, remise
price_plan: single stated_fact
  = subscription plan tier
  ~ which plan, on the plan, premium plan, tarif
payment_method: single preference
  = pays_with billing_method
  ~ pay by, pays by, pay with, how does she pay, how does he pay, on invoice, zahlungsart, zahle mit, forma de pago,
  ~ mode de paiement, 支払い方法
payment_terms: single stated_fact
  = invoice_terms billing_terms
  ~ net 30, days net, pay within, zahlungsziel
invoice_address: single stated_fact
  = billing_address billing_contact
  ~ where do invoices go, send invoices, invoices for, rechnungsadresse, facturación, facturation
refund_method: single preference
  = refund_preference
  ~ how do i refund, refunds go, store credit, back to the card, rückerstattung, reembolso, remboursement
rent_due: single stated_fact
  = rent_day
  ~ rent is due, rent due, when is the rent, miete fällig

# home and travel
vehicle: single stated_fact
  = car bike motorbike
  ~ i drive a, drives a, my car, what car, mein auto, mi coche, ma voiture, 車は
seat: single preference
  = seat_preference preferred_seat
  ~ window seat, aisle seat, which seat, fensterplatz, gangplatz, ventanilla, pasillo, hublot, couloir, 窓側, 通路側
airline: single preference
  = preferred_airline
  ~ fly with, flies with, which airline, fluggesellschaft
home_airport: single stated_fact
  = airport departure_airport
  ~ fly from, flies from, which airport, flughafen, aeropuerto, aéroport
hotel_preference: single preference
  = hotel room_preference
  ~ which hotel, quiet room, high floor, non smoking room
loyalty_number: multi stated_fact
  = frequent_flyer membership_number
  ~ frequent flyer number, member number, miles and more, bahncard
delivery_instructions: single constraint
  = delivery_note drop_off
  ~ leave it with, leave parcels, deliver only, leave at the door, parcel locker, with the neighbour, paket, entrega,
  ~ livraison, 置き配
bin_day: single stated_fact
  = recycling_day trash_day
  ~ bins go out, recycling goes out, rubbish day, garbage day, müllabfuhr
temperature: single preference
  = room_temperature thermostat night_temperature
  ~ degrees, how warm, thermostat, heating, grad, grados, degrés, 室温
wake_time: single preference
  = alarm_time wake_up_time
  ~ wake me, get up at, gets up at, wake up at, aufstehen, despertar, réveil
bedtime: single stated_fact
  = sleep_time
  ~ go to bed, goes to bed, asleep by, ins bett

# taste
hobby: multi preference
  = hobbies interest interests pastime
  ~ in my free time, spare time, i play, hobbys, freizeit, tiempo libre, loisirs, 趣味
like: multi preference
  = likes loves
  ~ i like, i love, i enjoy, fond of, likes to
dislike: multi preference
  = dislikes hates
  ~ i hate, i dislike, can't stand, cannot stand, i don't like, doesn't like, loathe, detest
music: single preference
  = music_taste genre
  ~ listen to, what music, musik, música, musique, 音楽
cuisine: single preference
  = food_preference
  ~ which food, what food, kind of food, essen gern

# software
editor: single preference
  = ide code_editor
  ~ which editor, i use vim, vscode, vs code, neovim, emacs, jetbrains
package_manager: single constraint
  = dependency_manager
  ~ npm, pnpm, yarn, uv, poetry, install packages, install dependencies
programming_language: single stated_fact
  = coding_language
  ~ in which language is, written in python, written in rust, programmiersprache
framework: single stated_fact
  = web_framework
  ~ which framework, built with
test_command: single stated_fact
  = run_tests tests test_runner
  ~ how do i run the tests, how to run tests, run the tests with, tests run with, run tests
build_command: single stated_fact
  = build
  ~ how do i build, how to build, build it with
lint_command: single stated_fact
  = linter formatter
  ~ run the linter, format with, lint with
branch: single stated_fact
  = target_branch pr_target_branch default_branch base_branch
  ~ prs go against, prs target, merge into, branch off, which branch, pull requests go
merge_strategy: single constraint
  = merge_style
  ~ squash merge, squash merges, rebase merge, force push
commit_style: single constraint
  = commit_message_style commit_format
  ~ conventional commits, commit messages
deploy_target: single stated_fact
  = hosting deployment_target environment
  ~ deploy to, deploys to, where do we deploy, hosted on, runs on
database: single stated_fact
  = database_version db
  ~ which database, postgres, mysql, sqlite
rate_limit: single constraint
  = request_limit
  ~ requests a minute, requests per, how many requests, per minute per key
code_style: multi constraint
  = coding_style style_guide coding_convention
  ~ tabs or spaces, type hints, indent, naming convention, docstrings, line length
operating_system: single stated_fact
  = os platform
  ~ i'm on linux, on macos, on windows, which os, betriebssystem
theme: single preference
  = dark_mode color_scheme
  ~ dark mode, light mode, dark theme, light theme
tool: multi stated_fact
  = tools tooling
  ~ which tool, we use
"""


def _parsed(table: str) -> Iterator[Attribute]:
    """The attributes of the table, in its order."""
    current: Attribute | None = None
    for line in table.splitlines():
        mark, _, rest = line.strip().partition(" ")
        if not mark or mark == "#":
            continue
        if mark == "=" and current:
            current = replace(current, aliases=(*current.aliases, *rest.split()))
        elif mark == "~" and current:
            current = replace(current, cues=(*current.cues, *(cue.strip() for cue in rest.split(",") if cue.strip())))
        else:
            if current:
                yield current
            cardinality, kind, *identity = rest.split()
            current = Attribute(mark.rstrip(":"), (), Cardinality(cardinality), Kind(kind), bool(identity))
    if current:
        yield current


ATTRIBUTES = tuple(_parsed(_TABLE))
