"""Finding: ranking, filter_starvation, query_syntax, cjk_search, time_queries, relative_dates, timezone, slow_or_costly.

B229 (size of a model's prompt): no write asks a model, so what a decision reads is counted.
B108 is about a dashboard; the page of the command line stands in for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onrecord.errors import InvalidInput, RerankerError
from onrecord.memory import Memory
from onrecord.model.change import Add
from onrecord.model.query import Corpus, View
from onrecord.model.record import Status
from onrecord.model.scope import Reach
from onrecord.providers.embed import MiniLmEmbedder
from onrecord.providers.embed.hashing import HashingEmbedder
from onrecord.providers.scripted import SteppingClock
from onrecord.testing.builders import a_batch, a_record
from onrecord.testing.faults import faulty

ONLY: dict[str, Any] = {"user_id": "u", "include": "records"}


def texts(memory: Memory, query: str, **narrow: Any) -> list[str]:
    return [hit.text for hit in memory.search(query, **{**ONLY, **narrow}).hits]


def put(memory: Memory, *statements: str, **where: Any) -> None:
    for statement in statements:
        memory.remember(statement, **{"user_id": "u", **where})


SMALL_TALK = [
    f"{who} had a {what} day at the {place}."
    for who in ("Ana", "Bo")
    for what in ("long", "fine")
    for place in "park zoo pier gym spa".split()
]

# -- ranking


def test_an_old_exact_answer_comes_before_fresh_small_talk(real: Memory, clock: SteppingClock) -> None:
    """B184"""
    put(real, "The boiler valve has part number QX-7731.")
    clock.now += timedelta(days=200)
    put(real, *SMALL_TALK)
    assert texts(real, "part number of the boiler valve")[0] == "The boiler valve has part number QX-7731."
    found = real.search("part number of the boiler valve", **ONLY, threshold=0.0, limit=50)
    fused = {c.id: c.parts.get("fused", 0.0) + c.parts.get("key", 0.0) for c in found.trace.candidates}
    assert all(0.9 <= c.score / fused[c.id] <= 1.1 for c in found.trace.candidates if fused[c.id] > 0.0)


class Stub:
    """A reranker of one opinion on everything, or of none at all."""

    name = "stub"

    def __init__(self, *, fails: bool) -> None:
        self._fails = fails

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        if self._fails:
            raise RerankerError("the model is gone")
        return [0.5] * len(texts)


@pytest.mark.parametrize("reranker", [Stub(fails=False), Stub(fails=True)], ids=["constant", "failing"])
def test_a_reranker_that_has_nothing_to_say_leaves_the_order_as_it_is(
    minilm: MiniLmEmbedder, clock: SteppingClock, reranker: Stub
) -> None:
    """B186: compared with the order without it"""
    memory = Memory(":memory:", embedder=minilm, clock=clock, reranker=reranker)
    put(memory, *SMALL_TALK, "The kayak is in locker 7.", "The kayak needs a new paddle.")
    plain = memory.search("where is the kayak", **ONLY, threshold=0.0, limit=10)
    again = memory.search("where is the kayak", **ONLY, threshold=0.0, limit=10, rerank=True)
    assert [hit.id for hit in again.hits] == [hit.id for hit in plain.hits]
    assert len(plain.hits) == 10


@pytest.mark.parametrize("embedder", [HashingEmbedder, MiniLmEmbedder])
@pytest.mark.parametrize("query", ["boiler valve", "valve QX-7731", "gate opens", "kayak locker"])
def test_two_words_that_are_in_the_statement_find_it(
    clock: SteppingClock, embedder: Callable[[], HashingEmbedder | MiniLmEmbedder], query: str
) -> None:
    """B189"""
    memory = Memory(":memory:", embedder=embedder(), clock=clock)
    put(
        memory,
        "The boiler valve has part number QX-7731.",
        "The gate opens inwards.",
        "The kayak is in the locker by the door.",
        *SMALL_TALK,
    )
    found = memory.search(query, **ONLY)
    assert set(query.casefold().split()) <= set(re.findall(r"[\w-]+", found.hits[0].text.casefold()))
    assert len(found.trace.candidates) > len(found.hits)
    assert all(c.dropped for c in found.trace.candidates if c.id not in found.trace.returned)


def test_an_edit_makes_a_record_no_fresher(real: Memory, clock: SteppingClock) -> None:
    """B190"""
    put(real, "The boiler valve has part number QX-7731.")
    profile = real.remember("Ana looks after the boiler and the house.", user_id="u").records[0]
    before = real.search("part number of the boiler valve", **ONLY, threshold=0.0)
    clock.now += timedelta(days=300)
    real.update(profile.id, user_id="u", metadata={"touched": True})
    real.maintain()
    after = real.search("part number of the boiler valve", **ONLY, threshold=0.0)
    assert after.hits[0].text == "The boiler valve has part number QX-7731."
    assert [hit.id for hit in after.hits] == [hit.id for hit in before.hits]
    ages = {c.id: c.parts["freshness"] for c in after.trace.candidates}
    assert max(ages.values()) - min(ages.values()) < 0.01


def test_a_small_store_does_not_give_everything_for_any_question(real: Memory) -> None:
    """B191"""
    put(
        real,
        "Ana is allergic to walnuts.",
        "The boiler valve has part number QX-7731.",
        "The choir meets on Mondays.",
        "The car needs winter tyres.",
        "Bo plays the cello.",
    )
    for query, answer in (
        ("Which instrument does Bo play?", "cello"),
        ("What is Ana allergic to?", "walnuts"),
        ("When does the choir meet?", "Mondays"),
    ):
        found = texts(real, query)
        assert answer in found[0]
        assert len(found) <= 2
    assert texts(real, "What is the capital of Mongolia?") == []


# -- starvation


@pytest.mark.parametrize("owner", ["other people", "other runs", "other topics"])
def test_rows_that_are_filtered_out_use_up_no_place(memory: Memory, owner: str) -> None:
    """B022"""
    for n in range(300):
        where: dict[str, Any] = {"user_id": f"x{n % 7}"} if owner == "other people" else {}
        where |= {"run_id": "r2"} if owner == "other runs" else {}
        put(memory, f"The greenhouse key number {n} is brass.", **where, metadata={"topic": "b"})
    mine = [f"The greenhouse has {n} heaters behind the long shelf." for n in (11, 12, 13)]
    put(memory, *mine, run_id="r1", metadata={"topic": "a"})
    own: dict[str, dict[str, Any]] = {"other runs": {"run_id": "r1"}, "other topics": {"filters": {"topic": "a"}}}
    narrow = own.get(owner, {})
    sizes = [len(texts(memory, "greenhouse key brass", limit=k, threshold=0.0, **narrow)) for k in (1, 2, 3, 10)]
    assert sizes == [1, 2, 3, 3]
    assert set(texts(memory, "greenhouse key brass", limit=3, threshold=0.0, **narrow)) == set(mine)


def test_fifty_scopes_each_get_as_many_rows_as_they_hold_and_the_right_ones(clock: SteppingClock) -> None:
    """B025"""
    embedder = HashingEmbedder()
    memory = Memory(":memory:", embedder=embedder, clock=clock)
    rows = {
        f"u{s}": [f"Crate {s}-{n} holds {'kayak' if n % 3 else 'paddle'} {n * s % 17}." for n in range(40 if s else 7)]
        for s in range(50)
    }
    for who, statements in rows.items():
        memory.add(statements, user_id=who, infer=False)
    query = embedder.embed_query("kayak 5")
    for who, statements in rows.items():
        assert len(texts(memory, "kayak 5", user_id=who, limit=20, threshold=0.0)) == min(20, len(memory.get_all(user_id=who)))
        view = View(reach=Reach("default", (f"user:{who}",)))
        near = memory.engine.store.nearest(view, Corpus.RECORDS, memory.engine.embedder.name, query, limit=20)
        exact = sorted(
            (float(v @ query) for v in embedder.embed_documents([r.text for r in memory.get_all(user_id=who)])), reverse=True
        )
        assert [cosine for _, cosine in near] == pytest.approx(exact[:20], abs=1e-3)
        assert statements


# -- syntax

LITERALS = [
    "C++",
    '"unclosed',
    "foo AND",
    "NOT",
    "a OR b",
    "NEAR(x y)",
    "key:value",
    "(paren",
    "*",
    "^x",
    "-flag",
    "{a b}",
    "v2.3.1",
    "🦀",
    "100%",
    "a_b",
    "'; DROP TABLE record; --",
    "[x]",
    "\\",
    "?!",
]


@pytest.mark.parametrize("query", LITERALS)
def test_any_text_is_a_question_in_plain_words(memory: Memory, query: str) -> None:
    """B192"""
    put(memory, "The gate opens inwards.", f"The sticker on the crate says {query}")
    found = texts(memory, query, threshold=0.0)
    if re.search(r"\w", query):
        assert found[0] == f"The sticker on the crate says {query}"
    texts(memory, "")
    texts(memory, " ")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(max_size=40))
def test_no_text_breaks_a_search(memory: Memory, query: str) -> None:
    """B192: fuzzed"""
    texts(memory, query)


@pytest.mark.parametrize("written", ["don't", "don’t", "O'Neill", "O’Neill", "rock`n`roll", "rock'n'roll"])
def test_an_apostrophe_of_any_form_is_found_by_every_other(memory: Memory, written: str) -> None:
    """B193"""
    statement = f"The poster by the stairs says {written} in red."
    put(memory, statement, "The gate opens inwards.")
    for form in "'’`":
        assert texts(memory, re.sub("['’`]", form, written))[:1] == [statement]


@pytest.mark.parametrize("query", ["pre-edit-check", "pre edit check", "follow-up", "follow up"])
def test_a_hyphen_is_no_operator(memory: Memory, query: str) -> None:
    """B194"""
    put(memory, "The pre-edit-check runs before each follow-up.", "The gate opens inwards.")
    assert texts(memory, query) == ["The pre-edit-check runs before each follow-up."]


# -- scripts

SENTENCES = {
    "ja": ("明日の会議は東京駅の近くで開かれます", ["会議", "東京", "近く"]),
    "zh": ("我们每周三下午讨论新的设计方案", ["讨论", "设计", "方案"]),
    "ko": ("다음회의는서울역근처에서열립니다", ["회의", "서울"]),
    "th": ("ประชุมครั้งหน้าจัดที่กรุงเทพใกล้สถานี", ["กรุงเทพ", "สถานี"]),
    "ar": ("الاجتماع القادم في مكتب القاهرة الجديد", ["مكتب", "القاهرة"]),
    "hi": ("अगली बैठक दिल्ली के नए कार्यालय में होगी", ["दिल्ली", "बैठक"]),
    "fr": ("Le café est livré à l'entrepôt de Besançon", ["cafe", "café", "Besancon", "entrepôt", "entrepot"]),
}


@pytest.mark.parametrize(("language", "word"), [(language, word) for language, (_, words) in SENTENCES.items() for word in words])
def test_a_word_from_the_middle_of_a_sentence_is_found_in_every_script(memory: Memory, language: str, word: str) -> None:
    """B197, by words alone: the embedder of this memory knows no language"""
    put(memory, *(sentence for sentence, _ in SENTENCES.values()))
    assert SENTENCES[language][0] in texts(memory, word)


@pytest.mark.parametrize("query", ["gen", "report", "gen-report", "50"])
def test_a_latin_name_glued_to_other_script_is_found(memory: Memory, query: str) -> None:
    """B199"""
    put(memory, "毎晩gen-reportが50件の表を作る", "明日の会議は東京駅の近くで開かれます")
    assert texts(memory, query) == ["毎晩gen-reportが50件の表を作る"]


def test_lexical_hits_of_a_large_mixed_store_match_a_substring_search(clock: SteppingClock) -> None:
    """B200"""
    memory = Memory(":memory:", embedder=HashingEmbedder(), clock=clock)
    places = ["东京塔", "西湖边", "北門前", "서울역", "南口公園"]
    rows = [f"{places[n % 5]}的仓库编号{n}放着{['皮划艇', '帐篷', '自行车'][n % 3]}" for n in range(1_000)]
    memory.add(rows, user_id="u", infer=False)
    statements = {record.statement for record in memory.get_all(user_id="u")}
    for word in ("西湖", "帐篷", "公園", "自行车", "서울"):
        oracle = {statement for statement in statements if word in statement}
        found = memory.search(word, **ONLY, limit=1_000, threshold=0.0)
        hits = {hit.text for hit in found.hits if hit.parts.get("bm25")}
        assert len(hits & oracle) >= 0.95 * min(len(oracle), memory.engine.policy.candidate_limit)
        assert hits <= oracle


# -- time


def test_last_month_is_a_span_that_the_reply_tells_of(real: Memory, clock: SteppingClock) -> None:
    """B101"""
    decided = {1: "Decided to sell the kayak.", 2: "Decided to paint the fence blue.", 3: "Decided to insure the car."}
    for month, text in decided.items():
        real.remember(text, user_id="u", kind="decision", at=datetime(2026, month, 11, 9, tzinfo=UTC))
    clock.now = datetime(2026, 3, 20, 9, tzinfo=UTC)
    assert texts(real, "What did I decide last month?")[:1] == [decided[2]]


def test_yesterday_ends_and_as_of_yesterday_means_its_end(memory: Memory, clock: SteppingClock) -> None:
    """B103"""
    today = datetime(2026, 3, 10, 9, tzinfo=UTC)
    yesterday = today - timedelta(days=1)
    memory.remember("The gate code is K1.", user_id="u", key="gate_code", value="K1", at=yesterday)
    memory.remember("The gate code is K2.", user_id="u", key="gate_code", value="K2", at=today + timedelta(hours=1))
    clock.now = today + timedelta(hours=3)
    midnight = today.replace(hour=0)
    assert texts(memory, "gate code", since=midnight - timedelta(days=1), until=midnight, history=True) == [
        "The gate code is K1."
    ]
    assert texts(memory, "gate code", since=midnight) == ["The gate code is K2."]
    assert texts(memory, "gate code", as_of=midnight - timedelta(seconds=1)) == ["The gate code is K1."]
    assert texts(memory, "gate code", as_of=midnight - timedelta(days=1)) == []


@pytest.mark.parametrize("span", ["last fortnight", "past seven days", "foo", "", 7, datetime(2026, 3, 1)], ids=repr)  # noqa: DTZ001
def test_a_time_that_is_not_understood_is_refused_and_never_no_filter(memory: Memory, span: Any) -> None:
    """B104"""
    put(memory, "The gate code is K1.", at=datetime(2020, 1, 1, tzinfo=UTC))
    for name in ("since", "until", "as_of", "known_at"):
        with pytest.raises(InvalidInput, match=name):
            memory.search("gate code", **ONLY, **{name: span})


@pytest.mark.parametrize("span", ["last fortnight", "past seven days", "foo"])
def test_the_command_line_refuses_such_a_time_too(run: Callable[..., Any], span: str) -> None:
    """B104"""
    run("remember", "The gate code is K1.", "--user", "u", "--at", "2020-01-01")
    refused = run("search", "gate code", "--user", "u", "--since", span)
    assert refused.code != 0
    assert "K1" not in refused.out


# -- dates in what is said


@pytest.mark.parametrize(
    "text", ["Yesterday I moved to Porto.", "Next Friday I start at Birch Mill.", "I have been vegan since last March."]
)
def test_a_day_that_was_named_by_its_distance_is_anchored(memory: Memory, clock: SteppingClock, text: str) -> None:
    """B099: without a time of the client's the arrival counts"""
    arrived = clock.now
    memory.add(text, user_id="u", session_id="s")
    (turn,) = memory.session("s", user_id="u").turns()
    assert timedelta(0) <= turn.at - arrived < timedelta(minutes=1)
    for record in memory.get_all(user_id="u"):
        assert record.valid_from.date() != turn.at.date() or re.search(r"20\d\d", record.statement)
    memory.remember(text, user_id="u")
    assert all(record.said_at >= arrived for record in memory.get_all(user_id="u"))


def test_a_day_is_that_of_the_speakers_own_zone(memory: Memory) -> None:
    """B099, B107: half past one in the night of the 6th in Auckland is still the 5th in UTC"""
    said = datetime(2026, 5, 6, 1, 30, tzinfo=timezone(timedelta(hours=12)))
    receipt = memory.add("I moved to Porto yesterday.", user_id="u", at=said)
    for record in receipt.records:
        assert record.valid_from == datetime(2026, 5, 5, 0, 0, tzinfo=timezone(timedelta(hours=12)))
    assert receipt.records


@pytest.mark.parametrize("hours", [-11, -3.5, 0, 5.75, 14])
def test_a_time_keeps_its_instant_microseconds_and_order(memory: Memory, hours: float) -> None:
    """B107"""
    zone = timezone(timedelta(hours=hours))
    times = [datetime(2026, 5, 6, 23, 59, 59, 999_999 - n, tzinfo=zone) for n in range(3)]
    for n, at in enumerate(times):
        memory.add(f"Crate {n} holds kayak {n * 7}.", user_id="u", session_id="s", at=at, infer=False)
        memory.remember(f"Rule {n} of the hall.", user_id="u", at=at, valid_from=at, valid_until=at + timedelta(days=30))
    assert [turn.at for turn in memory.session("s", user_id="u").turns()] == times
    records = memory.get_all(user_id="u")
    assert all(record.said_at.tzinfo is not None for record in records)
    rules = [record for record in records if record.statement.startswith("Rule")]
    assert [(r.said_at, r.valid_from, r.valid_until) for r in rules] == [(at, at, at + timedelta(days=30)) for at in times]
    assert sorted(rules, key=lambda r: r.said_at) == list(reversed(rules))


def test_a_page_shows_when_a_record_was_said_and_not_the_present_day(run: Callable[..., Any]) -> None:
    """B108"""
    run("remember", "The gate code is K1.", "--user", "u", "--at", "2020-02-03T10:00+00:00")
    record = run("list", "--user", "u", "--json").json()[0]
    assert record["said_at"].startswith("2020-02-03T10:00")
    assert "2020-02-03" in run("get", record["id"], "--user", "u").out


# -- cost


def test_what_a_write_reads_does_not_grow_with_what_is_on_record(clock: SteppingClock) -> None:
    """B229: calls of the store, and rows put side by side"""
    read: list[int] = []
    for size in (10, 1_000):
        memory = Memory(":memory:", embedder=HashingEmbedder(), clock=clock)
        memory.add([f"Crate {n} holds kayak {n * 7}." for n in range(size)], user_id="u", infer=False)
        calls: list[str] = []

        def note(n: int, name: str, calls: list[str] = calls) -> bool:
            calls.append(name)
            return False

        watched = Memory(store=faulty(memory.engine.store, note), embedder=HashingEmbedder(), clock=clock)
        watched.remember("Crate 5 holds a tent.", user_id="u")
        read.append(len(calls))
    assert read[1] <= read[0] + 2 * memory.engine.policy.neighbour_limit


def test_everything_of_a_person_is_removed_in_one_transaction(memory: Memory) -> None:
    """B231"""
    rows = [a_record(f"rec_{n:05d}", f"Crate {n} holds kayak {n * 7}.", tenant="default", subject="user:u") for n in range(2_000)]
    planted = a_batch(*(Add(record=row, reason="planted") for row in rows), reach=Reach("default", ("user:u",)))
    memory.engine.store.apply(planted)
    written: list[str] = []

    def note(n: int, name: str) -> bool:
        written.append(name)
        return False

    held = len(memory.get_all(user_id="u", statuses=list(Status)))
    gone = Memory(store=faulty(memory.engine.store, note), embedder=HashingEmbedder()).delete_all(user_id="u")
    assert gone == held == 2_000
    assert written == ["select", "get", "get", "apply"]  # the rows, and what was merged into them, which goes too
    assert memory.get_all(user_id="u", statuses=list(Status)) == []
