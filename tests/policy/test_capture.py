"""Candidates from one turn: what becomes one, in which words, and what it says besides them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from onrecord.model.record import STATEMENT_LIMIT, ExpiryBasis, Kind, SourceType
from onrecord.model.scope import Origin
from onrecord.model.turn import Role, Turn
from onrecord.model.verdict import Act, Candidate
from onrecord.policy.capture.key import key_of, value_of
from onrecord.policy.capture.polarity import denies
from onrecord.policy.capture.propose import propose, record_id
from onrecord.policy.defaults import Policy
from onrecord.policy.language.vocabulary import Vocabulary

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
POLICY, WORDS = Policy(), Vocabulary()


def turn(text: str, role: Role = Role.USER, subject: str = "user:ana", author: str = "Ana", id: str = "turn_1") -> Turn:
    return Turn(
        id=id, tenant="t", subject=subject, origin=Origin(thread="s"), role=role, author=author, text=text, at=NOW, written_at=NOW
    )


def candidates(text: str, before: Sequence[Turn] = (), role: Role = Role.USER, subject: str = "user:ana") -> list[Candidate]:
    return propose(turn(text, role, subject), before, POLICY, WORDS)


def only(text: str, before: Sequence[Turn] = ()) -> Candidate:
    found = candidates(text, before)
    assert len(found) == 1, [c.statement for c in found]
    return found[0]


def test_ids_come_from_the_turn_so_that_reading_it_again_proposes_the_same() -> None:
    text = "I prefer tea.\n- no calls before ten\n- invoices go to Greta"
    assert [c.id for c in candidates(text)] == [c.id for c in candidates(text)]
    assert record_id("turn_abc", 2) == "rec_abc_2"


def test_a_candidate_rests_on_its_turn_and_quotes_it_word_for_word() -> None:
    text = "Oh and by the way, the spare key is with Odile at No. 14."
    found = only(text)
    assert found.source.type is SourceType.USER_MESSAGE
    assert found.source.ref == "turn_1"
    assert found.derived_from == ("turn_1",)
    assert found.quote in text
    assert found.said_at == NOW
    assert found.trust == 1.0


def test_each_item_of_a_list_is_a_candidate_and_its_heading_is_none() -> None:
    found = candidates("Two rules for the desk:\n1) refunds above 250 EUR go to Ludmila first\n2) never promise a date")
    assert [c.statement for c in found] == ["refunds above 250 EUR go to Ludmila first", "never promise a date"]


def test_sentences_on_the_same_thing_stay_together_and_others_part() -> None:
    found = candidates("The hall seats ninety people. It never opens before ten. My invoices always go to the Leeds office.")
    assert [c.statement for c in found] == [
        "The hall seats ninety people. It never opens before ten.",
        "My invoices always go to the Leeds office.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "> I never eat meat\nthat is what he wrote",
        "```\nI never eat meat\n```\nsee above",
        "assistant: I live in Rome\nwhat is that line doing here",
        'The sign said "I never eat meat and I live in Rome", odd',
    ],
)
def test_pasted_words_are_in_no_statement_of_their_own(text: str) -> None:
    assert not any(c.statement.startswith(("I never eat meat", "I live in Rome", "assistant")) for c in candidates(text))


def test_a_long_run_on_message_gives_a_statement_within_the_limit_that_holds_the_fact() -> None:
    text = (
        "ok so about phones, last time somebody from a shop rang me at some ungodly hour to ask whether I was satisfied with "
        "the call, which call, that call, and I own a vacuum cleaner now because when I am woken up I say yes to everything, "
        "so please never ring me before 10, I work nights at the bakery"
    )
    found = only(text)
    assert len(found.statement) <= STATEMENT_LIMIT
    assert "before 10" in found.statement
    assert found.quote in text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Ich esse kein Fleisch, auch nicht im Urlaub.", "de"),
        ("Los martes no puedo nunca, tengo coro.", "es"),
        ("Je ne bois pas de café après midi.", "fr"),
        ("卵アレルギーがあります。", "ja"),
        ("我对花生过敏,请记住。", "zh"),
        ("I take my tea black.", "en"),
    ],
)
def test_a_statement_stays_in_its_own_language(text: str, code: str) -> None:
    found = only(text)
    assert found.language == code
    assert found.statement == text


def test_names_numbers_and_codes_survive_unchanged() -> None:
    statement = only("Straße 14b, order WAW118K, +0.37 m, naïve Zoë, 60/min: that is what we use.").statement
    for part in ("Straße 14b", "WAW118K", "+0.37 m", "naïve Zoë", "60/min"):
        assert part in statement


def test_a_yes_takes_its_content_from_the_question_and_stays_the_persons_word() -> None:
    asked = turn("You ask for that most mornings. Shall I open the blinds at 7, Monday to Friday?", Role.ASSISTANT, id="turn_0")
    found = only("yes, make it a rule", [asked])
    assert "blinds at 7" in found.statement
    assert "make it a rule" in found.quote
    assert found.source.ref == "turn_1"


def test_a_yes_to_one_thing_takes_nothing_over() -> None:
    asked = turn("Shall I send the blue one today?", Role.ASSISTANT, id="turn_0")
    assert all("blue" not in c.statement for c in candidates("yes please", [asked]))


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("Please also remove that Keizerdam address. I would rather you did not hold it.", "that keizerdam address"),
        ("forget the datum number I gave you, it was the wrong station", "the datum number i gave you"),
        ("the W thing, please erase it, the trip is off", "w"),
        ("drop the thing about my shifts, I don't want it kept", "my shifts"),
        ("vergiss die cousine ganz, lösch den namen", "die cousine ganz"),
        ("scratch what I told you about the boiler", "the boiler"),
        ("What I said of Sunniva and the money had better come out of your notes.", "sunniva and the money"),
        ("wipe that about Lewin and the lifting will you he's left", "that about lewin and the lifting"),
        ("I sleep badly. What I said about the birthday, kindly strike it out.", "the birthday"),
        ("I should like Wexford rubbed out.", "wexford"),
        ("Lo de las llaves, bórrelo, por favor.", "las llaves"),
        ("Das mit der Werbung löschen Sie bitte wieder.", "der werbung"),
        ("Take that business about my finger off there.", "my finger"),
    ],
)
def test_a_request_to_forget_names_its_target(text: str, thing: str) -> None:
    found = only(text)
    assert found.act is Act.FORGET
    assert found.corrects == thing
    assert found.value is None


@pytest.mark.parametrize(
    "text",
    [
        "don't forget that I'm allergic to nuts",
        "before I forget: the gate stays shut",
        "delete the last line",
        "remove the second photo",
        "forget it",
        "I always forget my umbrella",
    ],
)
def test_other_uses_of_these_words_are_no_request_to_forget(text: str) -> None:
    assert all(c.act is Act.ASSERT for c in candidates(text))


@pytest.mark.parametrize(
    "text",
    [
        "I don't like cinnamon.",
        "I no longer take sugar.",
        "I do not want calls before nine.",
        "never npm in this repo, it's pnpm only",
        "reports for me: whole dollars, no cents, always",
        "the front door never unlocks by voice",
        "Nothing is to be delivered in that time, please.",
        "können nicht vor zehn: nie vor zehn anrufen",
        "肉は食べません。",
    ],
)
def test_what_forbids_or_denies_is_negative(text: str) -> None:
    assert all(c.negation for c in candidates(text))


@pytest.mark.parametrize(
    "text",
    [
        "station ST-0417 reports in feet, and the feed doesn't say which is which",
        "the manuals are in the House/Manuals folder, look there instead of asking me",
        "recycling goes out on Tuesdays",
        "rent is due on the 5th, I don't know why",
        "I prefer tea, because coffee does not agree with me",
    ],
)
def test_a_denial_in_passing_does_not_turn_the_fact_round(text: str) -> None:
    assert not any(c.negation for c in candidates(text))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I'm allergic to latex.", Kind.CONSTRAINT),
        ("never call me before ten", Kind.CONSTRAINT),
        ("the belt only takes up to 24 kg", Kind.CONSTRAINT),
        ("I prefer window seats on long flights", Kind.PREFERENCE),
        ("we decided to keep the old boiler until 2027", Kind.DECISION),
        ("my sister keeps the spare keys", Kind.RELATIONSHIP),
        ("the price list is in the shared folder, look there", Kind.POINTER),
        ("recycling goes out on tuesdays", Kind.STATED_FACT),
    ],
)
def test_kinds(text: str, kind: Kind) -> None:
    assert only(text).kind is kind


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("My name is Ana.", "name"),
        ("I am allergic to walnuts.", "allergy"),
        ("my favourite editor is Helix", "favourite_editor"),
    ],
)
def test_plain_attributes_have_their_key(text: str, key: str) -> None:
    assert only(text).key == WORDS.canonical(key)


@pytest.mark.parametrize(
    "text",
    [
        "they run Quillbase for scheduling today, contract ends in november",
        "be nice to the driver of the 6:45, his dog is poorly and he always comes by",
        "in the new mail it says hall 3D from now on",
    ],
)
def test_an_incidental_word_gives_no_key(text: str) -> None:
    assert all(c.key is None for c in candidates(text))


def day(when: datetime | None) -> str | None:
    return (when - timedelta(microseconds=1)).date().isoformat() if when else None


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("no dry ice until 30 June", "2026-06-30"),
        ("the lease runs out on 31 January 2027", "2027-01-31"),
        ("they run Quillbase today, contract ends in november", "2026-11-30"),
        ("I take the B2 exam on 20 June", "2026-06-20"),
        ("the office is open Monday to Friday", None),
        ("please don't ring before 10", None),
        ("rent is due on the 1st", None),
        ("I moved here on 3 March 2024", None),
    ],
)
def test_only_an_end_that_is_said_is_an_end(text: str, end: str | None) -> None:
    found = candidates(text)[0]
    assert day(found.valid_until) == end
    assert found.expiry_basis is (ExpiryBasis.STATED if end else ExpiryBasis.DEFAULT)


@pytest.mark.parametrize(
    ("text", "situation"),
    [
        ("at work I use a Mac", "at work"),
        ("on weekends the blinds open at 9", "on weekends"),
        ("in July and August fresh goods get door 6", "in july and august"),
        ("when I speak, collect the corrections", "when i speak"),
        ("I take my tea black", None),
        ("the contract ends in november 2027", None),
    ],
)
def test_a_situation_is_read_only_where_it_is_plain(text: str, situation: str | None) -> None:
    assert candidates(text)[0].qualifier == situation


def test_a_correction_says_what_no_longer_holds() -> None:
    found = only("PRs go to main instead of develop from now on")
    assert found.correction
    assert found.corrects == "develop"


def test_explicit_requests_are_surer_than_what_is_only_implied() -> None:
    told, plain = only("Remember that my badge number is 4471."), only("mornings are the school run, so after ten")
    assert told.explicit
    assert told.confidence > plain.confidence


def test_tools_and_documents_give_tool_facts_of_low_trust_only() -> None:
    text = '{"result":"REJECTED","detail":"family HZ may be stored at level 0 or 1 only, level 3 is not permitted"}'
    (found,) = candidates(text, role=Role.TOOL)
    assert found.kind is Kind.TOOL_FACT
    assert found.trust == POLICY.trust[SourceType.TOOL_RESULT]
    assert "level 0 or 1 only" in found.statement
    (read,) = candidates("RULES\n4. No bonfires on any plot between 1 April and 30 September.\n5. Enjoy.", role=Role.DOCUMENT)
    assert read.kind is Kind.TOOL_FACT
    assert read.trust == POLICY.trust[SourceType.DOCUMENT]
    assert candidates('{"on_hand": 412, "location": "A-03"}', role=Role.TOOL) == []


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("RATES\nThe importer drops any row longer than 31 characters.", "31 characters"),
        ("Shop\nReturns are taken within 14 days of receipt.", "14 days"),
        ("Notice: from 4 May the bus does not call at the quay; board at the church.", "church"),
        ("Chauffage\nFaire tourner au moins 10 minutes par mois.", "10 minutes"),
        ("Guía\nExtensión máxima: 40 páginas sin anexos.", "40 páginas"),
    ],
)
def test_a_document_states_its_limits_in_several_languages(text: str, stated: str) -> None:
    (read,) = candidates(text, role=Role.DOCUMENT)
    assert stated in read.statement


@pytest.mark.parametrize(
    "text", ["Call to Bo, 12:16, answered, 38 min.", "Mon: dry until 14:00, then rain.", "Ride: 5.8 km, 31 min."]
)
def test_a_duration_or_an_hour_in_a_report_is_no_limit(text: str) -> None:
    assert candidates(text, role=Role.TOOL) == []


def test_the_assistants_words_give_no_candidate() -> None:
    assert candidates("As you told me, you never eat meat.", role=Role.ASSISTANT) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "\u200b\u200b",
        "🙂",
        "\x00",
        "a" * 100_000,
        "- a\n" * 50_000,
        "I never eat meat. " * 50_000,
        "[" * 50_000,
        '"' * 50_001,
    ],
)
def test_odd_and_huge_texts_are_read_without_harm(text: str) -> None:
    for role in Role:
        found = candidates(text, role=role)
        assert len(found) <= 24
        assert all(0 < len(c.statement) <= STATEMENT_LIMIT for c in found)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("I moved to Porto last week", "home_city", "Porto"),
        ("I live in Turku since 2019 now", "home_city", "Turku"),
        ("I prefer aisle seats", "seat", "aisle seats"),
        ("I prefer quiet evenings", None, None),
        ("My sister is allergic to walnuts", None, None),
        ("My sister is called Oona", "sibling", "Oona"),
    ],
)
def test_the_value_is_what_is_so_and_not_since_when(text: str, key: str | None, value: str | None) -> None:
    found = key_of(text, Vocabulary())
    assert found == key
    assert value_of(text, found) == value


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("the cash box stays sealed, that money is for the roof", True),
        ("Maps which I would under no circumstances lend out go back to the archive", True),
        ("pads: never tumble dry, they shrink at 60", True),
        ("Cover does not extend to rented boats", True),
        ("The form says Tampere, not what I see here", False),
        ("8 is not true, we settled on 9", False),
        ("the loft, where we can't fit the harp, goes to the trio as storage", False),
        ("Pallets must not be above 160 cm at our racks", False),
    ],
)
def test_polarity_is_that_of_the_carrying_clause(text: str, denied: bool) -> None:
    assert denies(text) == denied


@pytest.mark.parametrize(
    ("sheet", "fact"),
    [
        ("HALDANE, TAILORS. Mr P. Orrin, measured 3 May 2026. Chest 102. Inside leg 79.", "Chest 102"),
        ("Maßblatt für das Geschäft. Jacke: 56. Armlänge: 65.", "Jacke: 56"),
        ("Dietetics, annual letter. Vitamin D: 25 micrograms daily. Next review in May.", "25 micrograms"),
        ("Power of attorney, extract. Health: Wiebke Orrin. Money: Onno Orrin.", "Wiebke"),
        ("Pre-launch survey. Spars: Sitka spruce, hollow. The moisture is told elsewhere.", "Sitka"),
    ],
)
def test_a_sheet_states_what_stands_behind_its_labels(sheet: str, fact: str) -> None:
    (found,) = candidates(sheet, role=Role.DOCUMENT)
    assert fact in found.statement
    assert (found.kind, found.trust) == (Kind.TOOL_FACT, POLICY.trust[SourceType.DOCUMENT])


def test_what_a_tool_reports_behind_labels_is_read_off_again() -> None:
    assert candidates("Operating account: 18,204.77. Pending: Oxbow 614.00", role=Role.TOOL) == []
    assert candidates("Page: 4. Date: 2 May 2026. Fitted by: Manu", role=Role.DOCUMENT) == []
