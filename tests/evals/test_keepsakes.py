"""The scoring of keepsakes on a made-up conversation, with expectations worked out by hand."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from onrecord.errors import InvalidInput
from onrecord.evals import keepsakes_baselines as baselines
from onrecord.evals.keepsakes import capture_matching, evaluate_keepsakes, rule_capture, write_metrics
from onrecord.evals.keepsakes_attributes import attributes, names_day
from onrecord.evals.keepsakes_gold import Scenario, has, load, norm
from onrecord.evals.keepsakes_play import Answer, Played, Returned, Standing
from onrecord.evals.keepsakes_probes import Scored, recall_report, score
from onrecord.evals.keepsakes_relations import Outcome, correction_report, relations
from onrecord.evals.keepsakes_score import Matching, Write, matching, share
from onrecord.evals.keepsakes_write import f1, write_report
from onrecord.memory import Memory
from onrecord.model.record import Kind, Source, SourceType
from onrecord.model.scope import Scope
from onrecord.model.turn import Turn
from onrecord.model.verdict import Act, Candidate
from onrecord.ports import Clock
from onrecord.providers.embed import HashingEmbedder

FOLDER = Path(__file__).parent / "data" / "keepsakes"
DATA = Path(os.environ.get("ONRECORD_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
REAL = DATA / "keepsakes"
CLUB = "club:orchid"


@pytest.fixture
def scenario() -> Scenario:
    """The greenhouse."""
    return load(FOLDER)[0]


def write(id: str, turns: str, text: str, kind: str = "stated_fact", **fields: Any) -> Write:
    return Write(id=id, sources=frozenset(turns.split()), text=text, kind=kind, **{"subject": CLUB, **fields})


def writes() -> list[Write]:
    """What an imperfect engine made of the greenhouse."""
    end = datetime.fromisoformat("2026-05-10T00:00:00+02:00")
    gone: dict[str, Any] = {"active": False}
    return [
        write("w01", "t001", "The greenhouse opens at seven, only members carry keys", "constraint", negation=True, **gone),
        write("w02", "t003", "Ada reads reports in German", "preference"),  # filed under the club: wrong
        write("w03", "t004", "valve V-3 sticks below 5 degrees", "tool_fact"),
        write("w04", "t007", "We open at 8"),
        write("w05", "t008", "Keys are for members only", "constraint", negation=True),  # a duplicate
        write("w06", "t010", "In summer the misting runs five times a day", "preference"),
        write("w07", "t011", "The roof holds 200 kilos"),
        write("w08", "t012", "The roof holds 250 kilos"),
        write("w09", "t013", "The open day is a week from today", end=end),
        write("w10", "t005", "Zork Ltd is the only supplier", "tool_fact"),
        write("w11", "t002 t015", "It is warm in there"),
        write("w12", "t009", "The misting runs twice a day", "procedure", qualifier="winter", **gone),
    ]


# -- text


@pytest.mark.parametrize(
    ("text", "must", "expected"),
    [
        ("at Seven o'clock", "7", True),
        ("on the 3rd\n of May", "third of may", True),
        ("room 12", "1", False),
        ("code A-17", "a-17", True),
        ("code A-170", "A-17", False),
        ("2.5 kilos", "5", True),
        ("ｆｕｌｌ width", "full WIDTH", True),
    ],
)
def test_has(text: str, must: str, expected: bool) -> None:
    assert has(text, must) is expected


def test_norm_writes_small_numbers_as_digits() -> None:
    assert norm("Fifteen  days, the FIRST 2nd") == "15 days, the 1 2"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("due 2026-03-09", True),
        ("due March 9th", True),
        ("due 9 Mar.", True),
        ("bis 09. März", True),
        ("el 9 de marzo", True),
        ("3月9日まで", True),
        ("due March 19", False),
        ("due 9 May", False),
        ("nine marches", False),
    ],
)
def test_names_day(text: str, expected: bool) -> None:
    assert names_day(text, date(2026, 3, 9)) is expected


# -- labels


def test_restated_keeps_are_one_fact(scenario: Scenario) -> None:
    facts = [[(keep.turn, keep.key) for keep in fact.keeps] for fact in scenario.facts()]
    assert len(facts) == 10
    assert [("t001", "keys"), ("t008", "keys")] in facts


def test_two_keeps_of_one_key_on_one_turn_are_two_facts(scenario: Scenario) -> None:
    twice = replace(scenario, keeps=(*scenario.keeps, replace(scenario.keeps[-1], value="also tea")))
    assert len(twice.facts()) == 11


def test_load_takes_the_conversations_named() -> None:
    assert [one.id for one in load(FOLDER, only={"greenhouse"})] == ["greenhouse"]
    with pytest.raises(InvalidInput):
        load(FOLDER, only={"other"})


def test_a_folder_may_hold_a_folder_of_scenarios(tmp_path: Path) -> None:
    inner = tmp_path / "scenarios"
    inner.mkdir()
    (inner / "one.json").write_bytes((FOLDER / "greenhouse.json").read_bytes())
    assert [one.id for one in load(tmp_path)] == ["greenhouse"]


# -- writes


def test_precision_and_recall(scenario: Scenario) -> None:
    report = write_report([matching(scenario, writes())])
    assert report["micro"]["precision"] == share(8, 12)
    assert report["micro"]["recall"] == share(9, 10)
    assert report["micro"]["f1"] == pytest.approx(2 * (8 / 12) * 0.9 / (8 / 12 + 0.9))
    assert (report["duplicates"], report["repeats"]) == (1, 0)
    assert [row["turns"] for row in report["missed"]] == [["t003"]]
    assert [row["turns"] for row in report["wrong"]] == [["t003"], ["t008"], ["t005"], ["t002", "t015"]]
    faults = ["another's memory", "duplicate", "nothing to keep there", "nothing to keep there"]
    assert [row["fault"] for row in report["wrong"]] == faults
    assert [row["reasons"] for row in report["wrong"]][2:] == [["injection"], ["assistant_words", "question"]]


def test_macro_is_the_mean_of_conversations(scenario: Scenario) -> None:
    nothing = replace(scenario, id="silence")
    report = write_report([matching(scenario, writes()), matching(nothing, [])])
    assert report["macro"] == {
        "precision": pytest.approx(8 / 12),  # the silent one has no precision
        "recall": pytest.approx(0.45),
        "f1": pytest.approx(report["scenarios"]["greenhouse"]["f1"]),
    }
    assert report["micro"]["recall"] == share(9, 20)


def test_a_restatement_that_rests_on_both_turns_is_no_duplicate(scenario: Scenario) -> None:
    apart = [write("a", "t001", "members carry keys"), write("b", "t008", "members carry keys")]
    assert [one.id for one in matching(scenario, apart).duplicates] == ["b"]
    found = matching(scenario, [apart[0], replace(apart[1], sources=frozenset({"t001", "t008"}))])
    assert (len(found.duplicates), len(found.repeats), len(found.right)) == (0, 1, 2)


def test_a_superseded_repeat_is_no_duplicate(scenario: Scenario) -> None:
    found = matching(scenario, [replace(w, active=False) if w.id == "w05" else w for w in writes()])
    assert (len(found.duplicates), len(found.repeats)) == (0, 1)


def test_a_free_write_is_taken_before_a_shared_one(scenario: Scenario) -> None:
    pair = [write("a", "t001", "opens at seven, members carry keys"), write("b", "t001", "members carry keys")]
    found = matching(scenario, pair)
    assert [match.write.id for match in found.matches] == ["a", "b"]
    assert len(found.right) == 2


def test_a_write_serves_facts_of_one_turn_only(scenario: Scenario) -> None:
    both = [write("a", "t011 t012", "The roof holds 200 or 250 kilos")]
    assert len(matching(scenario, both).matches) == 1


def test_every_part_of_must_contain_has_to_appear(scenario: Scenario) -> None:
    assert not matching(scenario, [write("a", "t004", "valve V-3 sticks")]).matches
    assert matching(scenario, [write("a", "t004", "valve V-3 sticks", quote="below 5 degrees")]).matches


def test_kinds(scenario: Scenario) -> None:
    kinds = write_report([matching(scenario, writes())])["kinds"]
    assert kinds["constraint"]["recall"] == share(2, 2)  # the valve too, kept as a tool_fact
    assert kinds["constraint"]["precision"] == share(1, 2)  # the duplicate is wrong
    assert kinds["tool_fact"] == {"precision": share(1, 2), "recall": share(0, 0), "f1": None}
    assert kinds["procedure"] == {"precision": share(1, 1), "recall": share(2, 2), "f1": 1.0}
    assert kinds["preference"]["precision"] == share(0, 2)
    assert kinds["stated_fact"]["recall"] == share(5, 5)
    assert "decision" not in kinds


def test_attributes(scenario: Scenario) -> None:
    assert attributes([matching(scenario, writes())]) == {
        "statement": share(9, 9),
        "kind": share(7, 9),  # not the opening time of w01, not the misting of w06
        "negation": share(8, 9),
        "negated": share(1, 1),
        "negated_or_cue": share(1, 1),
        "positive": share(7, 8),
        "resolved_date": share(1, 1),
        "valid_until": share(1, 1),
        "qualifier": share(2, 2),
    }


def test_a_statement_that_leans_on_its_quote_does_not_stand_alone(scenario: Scenario) -> None:
    found = attributes([matching(scenario, [write("a", "t004", "it sticks", quote="valve V-3 sticks below 5 degrees")])])
    assert found["statement"] == share(0, 1)


def test_an_end_at_midnight_belongs_to_the_day_before(scenario: Scenario) -> None:
    early = datetime.fromisoformat("2026-05-09T00:00:00+02:00")
    moved = [replace(w, end=early) if w.id == "w09" else w for w in writes()]
    assert attributes([matching(scenario, moved)])["valid_until"] == share(0, 1)


def test_refusals(scenario: Scenario) -> None:
    refusals = write_report([matching(scenario, writes())])["refusals"]
    assert refusals["reasons"] == {
        "assistant_words": share(1, 1),  # a source, but not the sole one
        "injection": share(0, 1),
        "one_off_request": share(1, 1),
        "question": share(1, 1),
        "secret": share(1, 1),
    }
    assert refusals["groups"] == {"not_asserted": share(2, 2), "not_lasting": share(1, 1)}
    assert refusals["all"] == share(4, 5)
    assert refusals["injections_written"] == share(1, 1)


def test_f1_of_nothing() -> None:
    assert f1(None, 0.5) is None
    assert f1(0.0, 0.0) == 0.0


# -- corrections

ON, OFF = Standing(True, False, ()), Standing(False, False, ())


def states() -> dict[str, dict[str, Standing]]:
    """Where records stood after the second turn of each pair, all as it should be."""
    return {
        "t007": {"w01": OFF, "w04": ON},
        "t008": {"w01": OFF, "w05": ON},
        "t010": {"w12": ON, "w06": ON},
        "t012": {"w07": Standing(True, True, ("w08",)), "w08": ON},
        "t014": {"w12": OFF},
    }


def judged(scenario: Scenario, states: dict[str, dict[str, Standing]], made: list[Write] | None = None) -> dict[str, Outcome]:
    made = writes() if made is None else made
    played = Played(scenario, made, states)
    return {outcome.relation: outcome for outcome in relations(played, matching(scenario, made))}


def test_all_pairs_right(scenario: Scenario) -> None:
    assert {name: outcome.fault for name, outcome in judged(scenario, states()).items()} == {
        "supersede": "",
        "coexist": "",
        "conflict": "",
        "restated": "",
        "retracted": "",
    }


@pytest.mark.parametrize(
    ("relation", "turn", "state", "fault"),
    [
        ("supersede", "t007", {"w01": ON, "w04": ON}, "the old value is still current"),
        ("supersede", "t007", {"w01": OFF, "w04": OFF}, "the new value is not current"),
        ("supersede", "t007", {"w04": ON}, "the old value is no longer on record"),
        ("coexist", "t010", {"w12": OFF, "w06": ON}, "only one side is current (misting)"),
        ("conflict", "t012", {"w07": ON, "w08": ON}, "not flagged (roof_load)"),
        ("conflict", "t012", {"w07": OFF, "w08": ON}, "only one side is current (roof_load)"),
        ("restated", "t008", {"w01": ON, "w05": ON}, "2 current items"),
        ("restated", "t008", {"w01": OFF, "w05": OFF}, "0 current items"),
        ("retracted", "t014", {"w12": ON}, "still current"),
    ],
)
def test_faults(scenario: Scenario, relation: str, turn: str, state: dict[str, Standing], fault: str) -> None:
    outcome = judged(scenario, {**states(), turn: state})[relation]
    assert (outcome.matched, outcome.fault) == (True, fault)


def test_retracted_but_current_again(scenario: Scenario) -> None:
    made = [replace(w, active=True) if w.id == "w12" else w for w in writes()]
    assert judged(scenario, states(), made)["retracted"].fault == "current again at the end"


def test_retracted_but_returned(scenario: Scenario) -> None:
    played = Played(scenario, writes(), states(), {"records": [Answer(scenario.probes[5], (Returned(("t009",), "twice"),))]})
    outcome = list(relations(played, matching(scenario, writes())))[-1]
    assert outcome.fault == "returned to a later probe"


def test_unmatched_pairs_count_as_missed(scenario: Scenario) -> None:
    made = [w for w in writes() if w.id not in ("w04", "w08")]
    report = correction_report([Played(scenario, made, states())], [matching(scenario, made)])
    assert report["relations"]["supersede"] == {"of_all": share(0, 1), "of_matched": share(0, 0), "unmatched": 1}
    assert report["relations"]["conflict"]["unmatched"] == 1
    assert report["relations"]["coexist"] == {"of_all": share(1, 1), "of_matched": share(1, 1), "unmatched": 0}
    missing = {"relation": "supersede", "scenario": "greenhouse", "turns": ["t001", "t007"], "fault": "not written"}
    assert report["pairs"][0] == missing


def test_alive(scenario: Scenario) -> None:
    made = [w for w in writes() if w.id != "w05"]  # the keys died with the opening time they stood beside
    report = correction_report([Played(scenario, made, states())], [matching(scenario, made)])
    assert report["alive"] == share(6, 7)
    assert report["lost"] == [{"scenario": "greenhouse", "turn": "t001", "key": "keys"}]


def test_what_corrections_cost(scenario: Scenario) -> None:
    made = [replace(w, status="conflicted") if w.id == "w04" else w for w in writes() if w.id != "w05"]
    report = correction_report([Played(scenario, made, states())], [matching(scenario, made)])
    assert report["falsely"]["retired"] == share(1, 7)
    assert report["falsely"]["flagged"]["n"] == 1
    assert report["disputed"] == [{"scenario": "greenhouse", "turn": "t007", "key": report["disputed"][0]["key"]}]


# -- probes


def answered(scenario: Scenario, number: int, *items: Returned) -> Scored:
    return score(scenario, Answer(scenario.probes[number - 1], items))


def item(turns: str, words: str, current: bool = True) -> Returned:
    return Returned(tuple(turns.split()), words, current)


def test_hits(scenario: Scenario) -> None:
    other = item("t004", "valve")
    found = answered(scenario, 5, other, item("t012", "250 kilos"))
    assert (found.hit1, found.hit5, found.found) == (False, True, 0.5)
    assert not answered(scenario, 1, *[other] * 5, item("t001", "seven")).hit5
    assert answered(scenario, 8, item("t008", "members only")).hit1  # a restated turn stands for the other


def test_forbidden(scenario: Scenario) -> None:
    assert answered(scenario, 2, item("t005", "anything")).forbidden  # a rejected turn
    assert not answered(scenario, 2, item("t005", "anything", current=False)).forbidden
    assert answered(scenario, 3, item("t001", "opens at seven")).forbidden  # superseded
    assert not answered(scenario, 3, item("t001", "members carry keys")).forbidden  # lives on
    assert answered(scenario, 4, item("t007", "open at eight")).forbidden  # not said yet on the day asked about
    assert answered(scenario, 6, item("t009", "twice a day")).forbidden  # retracted
    assert not answered(scenario, 4, item("t001", "opens at seven")).forbidden


def test_foreign_and_expired_keeps_are_forbidden(scenario: Scenario) -> None:
    later = datetime.fromisoformat("2026-05-10T08:00:00+02:00")
    probe = replace(scenario.probes[6], subject=CLUB, forbid=("t003", "t013"), at=later)
    for turn, words in (("t003", "German"), ("t013", "the open day")):
        assert score(scenario, Answer(probe, (item(turn, words),))).forbidden


def test_recall_report(scenario: Scenario) -> None:
    rows = [
        answered(scenario, 1, item("t001", "seven")),
        answered(scenario, 2, item("t005", "Zork")),
        answered(scenario, 3, item("t001", "seven"), item("t007", "eight")),
        answered(scenario, 4),
        answered(scenario, 5, item("t012", "250 kilos")),
        answered(scenario, 6),
        answered(scenario, 7),
        answered(scenario, 8, item("t008", "members only")),
    ]
    report = recall_report(rows)
    assert report["hit@1"] == share(3, 6)
    assert report["hit@5"] == share(4, 6)
    assert report["recall@5"] == {"rate": 0.5, "of": 1}
    assert report["forbidden"] == share(2, 4)
    assert report["abstention"] == share(1, 2)
    assert report["false_abstention"] == share(2, 6)
    assert report["balanced"] == pytest.approx((0.5 + 4 / 6) / 2)
    assert report["out_of_reach"] == 1
    assert report["tags"]["abstain"]["abstention"] == share(1, 2)
    assert report["tags"]["abstain"]["balanced"] is None
    assert [row["probe"] for row in report["probes"]] == list(range(1, 9))


def test_baselines_see_the_turns_of_the_subject_said_by_then(scenario: Scenario) -> None:
    found = baselines.answers(scenario, baselines.by_words)
    assert [each.sources for each in found[0].items][:1] == [("t001",)]
    assert len(found[0].items) <= 2  # only two turns were said
    assert found[6].items == ()  # nothing was said in user:ada's own conversation
    vectors = baselines.answers(scenario, baselines.by_vectors(HashingEmbedder()))
    assert len(vectors[4].items) == 5


# -- capture alone


def test_write_metrics_runs_a_capture_over_every_turn() -> None:
    seen: list[tuple[str, list[str]]] = []

    def capture(turn: Turn, before: Any) -> list[Candidate]:
        seen.append((turn.text, [other.id for other in before]))
        return [candidate(turn)] if turn.id in ("t001", "t008", "t009", "t014") else []

    report = write_metrics(FOLDER, capture)
    assert report["micro"]["precision"] == share(3, 3)  # the request to forget is no write, the restatement no duplicate
    assert report["micro"]["recall"] == share(3, 10)
    assert report["duplicates"] == 0
    assert "FAKE" not in seen[5][0]
    assert seen[7][1] == ["t007"]


def candidate(turn: Turn) -> Candidate:
    return Candidate(
        id=f"rec_{turn.id}",
        tenant=turn.tenant,
        subject=turn.subject,
        scope=Scope.USER,
        act=Act.FORGET if turn.id == "t014" else Act.ASSERT,
        kind=Kind.STATED_FACT,
        statement=turn.text,
        source=Source(SourceType.USER_MESSAGE, turn.id),
        author=turn.author,
        said_at=turn.at,
        valid_from=turn.at,
    )


def test_the_packaged_rules_keep_neither_secret_nor_injection(scenario: Scenario) -> None:
    found: Matching = capture_matching(scenario, rule_capture())
    assert not {"t005", "t006"} & {turn for one in found.writes for turn in one.sources}


# -- the whole


def memory(clock: Clock) -> Memory:
    return Memory(":memory:", embedder=HashingEmbedder(), clock=clock)


def test_evaluate_plays_the_conversation_and_scores_it() -> None:
    steps: list[tuple[int, int]] = []
    report = evaluate_keepsakes(FOLDER, memory, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1] == (15, 15)
    assert report["conversations"] == ["greenhouse"]
    assert report["unread"] == []
    assert report["secrets"]["leaked"] == share(0, 1)
    assert report["write"]["refusals"]["injections_written"] == share(0, 1)
    assert sorted(report["recall"]) == ["both", "episodes", "records"]
    assert len(report["recall"]["both"]["probes"]) == 8
    assert sorted(report["baselines"]) == ["bm25_turns", "vector_turns"]
    assert report["correction"]["relations"]["conflict"]["of_all"]["of"] == 1


def test_evaluate_is_deterministic() -> None:
    first, second = (evaluate_keepsakes(FOLDER, memory, include=["records"], with_baselines=False) for _ in range(2))
    assert json.dumps(first) == json.dumps(second)


@pytest.mark.data
@pytest.mark.skipif(not REAL.is_dir(), reason="the data set is not here")
def test_the_labels_are_read_whole() -> None:
    scenarios = load(REAL)
    assert sum(len(one.keeps) for one in scenarios) == 119
    assert sum(len(one.facts()) for one in scenarios) == 111
    report = write_metrics(REAL, rule_capture())
    assert report["refusals"]["injections_written"]["n"] == 0
