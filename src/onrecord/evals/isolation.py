"""Many owners with look-alike names and contents in one file: does any call of one show, or touch, what is another's?

A round makes a world of three tenants with five owners each, whose names are taken from one another and who all said the same but
for a word that is theirs alone: in a turn, a record, a title, a document, the state of a run. Then every owner makes every call
there is (``PROBES``), with the id of somebody else's record, and the answers are searched for everybody else's words and ids.

* *calls*: how many were made. *crossings*: how many told anything of another owner. Must be 0.
* *own*: of the calls that ask for contents, how many showed the caller's own word: what shows that a crossing would be seen.
* *changed*: owners of whom anything changed though only others had called. Must be 0.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from onrecord.errors import NotFound
from onrecord.evals.keepsakes_score import share
from onrecord.evals.rows import RowFile
from onrecord.evals.words import made_up

if TYPE_CHECKING:
    from onrecord.memory import Memory

#: Whose memory, as arguments of the verbs.
Who: TypeAlias = Mapping[str, Any]
Probe: TypeAlias = "Callable[[Memory, Who, str], Any]"
Progress: TypeAlias = Callable[[int, int], None]
#: A memory of that tenant; all of one round share a store.
MakeTenants: TypeAlias = "Callable[[Sequence[str]], Sequence[Memory]]"

QUESTION = "greenhouse keys"
THREAD = "shared"
_SAID = "The greenhouse needs two keys, both marked {}."
TENANTS = ("acme", "acm", "Acme", "acme%", "_cme", "аcme", "acme2", "a'cme")  # the sixth begins with a Cyrillic letter
NAMES = ("ana", "an", "Ana", "ana%", "_na", "аna", "ana:1", 'a"na', "null", "0")
KINDS = ("user_id", "agent_id", "subject")


def exported(memory: Memory, who: Who) -> str:
    """What an export of an owner holds."""
    with tempfile.TemporaryDirectory() as folder:
        memory.export_to(Path(folder) / "e.jsonl", **who)
        return (Path(folder) / "e.jsonl").read_text("utf-8")


#: Every call that shows contents, and how it is made to learn of a record that is somebody else's.
READS: Mapping[str, Probe] = {
    "export_to": lambda m, who, id: exported(m, who),
    "search": lambda m, who, id: m.search(QUESTION, **who),
    "get": lambda m, who, id: m.get(id, **who),
    "get_all": lambda m, who, id: m.get_all(statuses=None, **who),
    "history": lambda m, who, id: m.history(id, **who),
    "why": lambda m, who, id: m.why(id, **who),
    "lineage": lambda m, who, id: m.lineage(id, **who),
    "review": lambda m, who, id: m.review(**who),
    "misses": lambda m, who, id: m.misses(**who),
    "refusals": lambda m, who, id: m.refusals(**who),
    "context": lambda m, who, id: m.context(QUESTION, session_id=THREAD, **who),
    "session": lambda m, who, id: m.session(THREAD, **who).turns(),
    "sessions": lambda m, who, id: m.sessions(**who),
    "run": lambda m, who, id: m.run(THREAD, **who).state,
    "knowledge.search": lambda m, who, id: m.knowledge.search(QUESTION, **who),
    "knowledge.get_all": lambda m, who, id: m.knowledge.get_all(**who),
}
#: Every call that changes something, and how it is made to harm a record that is somebody else's.
WRITES: Mapping[str, Probe] = {
    "add": lambda m, who, id: m.add("I prefer tea.", session_id=THREAD, **who),
    "remember": lambda m, who, id: m.remember("The kettle is blue.", **who),
    "update": lambda m, who, id: m.update(id, "taken over", **who),
    "delete": lambda m, who, id: m.delete(id, **who),
    "retract": lambda m, who, id: m.retract([id], **who),
    "quarantine": lambda m, who, id: m.quarantine([id], **who),
    "erase": lambda m, who, id: m.erase(ids=[id], **who),
    "renew": lambda m, who, id: m.renew(id, **who),
    "expire": lambda m, who, id: m.expire(id, **who),
    "delete_all": lambda m, who, id: m.delete_all(**who),
}
PROBES: Mapping[str, Probe] = {**READS, **WRITES}
#: Writes that name no record: one owner of a world makes them, last of all.
_OWN = ("add", "remember", "delete_all")
#: Reads that show an owner's contents whatever id they are given.
_SHOWING = frozenset({"export_to", "search", "get_all", "context", "session", "sessions", "run", "knowledge.search"})


@dataclass(frozen=True, slots=True)
class Owner:
    """Somebody with a memory: of which tenant, under which name, with the word and the record that are theirs alone."""

    memory: Memory
    who: Who
    word: str
    record: str


def evaluate_isolation(
    make_tenants: MakeTenants, *, rounds: int, seed: int, rows: RowFile | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """The counts of so many rounds, and a row for each. Rounds that have a row are passed over."""
    kept = rows or RowFile(None, {})
    there = kept.ids()
    for number in range(rounds):
        if f"{seed}/{number}" not in there:
            kept.add({"id": f"{seed}/{number}", **_round(make_tenants, random.Random(f"isolation/{seed}/{number}"))})
        if progress is not None:
            progress(number + 1, rounds)
    return report(kept.rows)


def report(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The counts over all rounds."""

    def total(name: str) -> int:
        return sum(row[name] for row in rows)

    return {
        "rounds": len(rows),
        "calls": total("calls"),
        "crossings": share(sum(len(row["crossings"]) for row in rows), total("calls")),
        "own": share(total("own"), total("showing")),
        "changed": share(sum(len(row["changed"]) for row in rows), total("owners")),
        "faults": [fault for row in rows for fault in (*row["crossings"], *row["changed"])],
        "questions": list(rows),
    }


def _round(make_tenants: MakeTenants, rng: random.Random) -> dict[str, Any]:
    memories = make_tenants(rng.sample(TENANTS, 3))
    try:
        owners = [_settle(memory, who, rng) for memory in memories for who in _names(rng)]
        found = _ask_all(owners, READS, rng)
        before = [_state(owner) for owner in owners]
        touched = _ask_all(owners, {name: probe for name, probe in WRITES.items() if name not in _OWN}, rng)
        changed = [_named(owner) for owner, was in zip(owners, before, strict=True) if _state(owner) != was]
        busy = rng.choice(owners)  # one who writes, and takes everything of theirs away
        for name in _OWN:
            WRITES[name](busy.memory, busy.who, "")
        others = [(owner, was) for owner, was in zip(owners, before, strict=True) if owner is not busy]
        changed += [_named(owner) for owner, was in others if _state(owner) != was]
    finally:
        memories[0].close()  # they share the store
    return {
        "owners": len(owners),
        "calls": found["calls"] + touched["calls"] + len(_OWN),
        "own": found["own"],
        "showing": found["showing"],
        "crossings": found["crossings"] + touched["crossings"],
        "changed": changed,
        "systems": {"onrecord": {"crossings": float(bool(found["crossings"] or touched["crossings"]))}},
    }


def _names(rng: random.Random) -> list[Who]:
    """Five owners, the names of one kind taken from those of another."""
    names = rng.sample(NAMES, 4)
    chosen: list[Who] = [{"user_id": name} for name in names[:3]]
    return [*chosen, {"agent_id": names[0]}, {"subject": f"team:{names[3]}"}]


def _settle(memory: Memory, who: Who, rng: random.Random) -> Owner:
    """Somebody moves in: says what all say, with a word of their own."""
    word = made_up(rng)
    said = _SAID.format(word)
    session = memory.session(THREAD, **who)
    session.add(said)
    session.rename(f"Keys {word}")
    run = memory.run(THREAD, **who)
    run.values["keys"] = word
    run.checkpoint()
    (record,) = memory.remember(said, session_id=THREAD, **who).records
    memory.knowledge.add(said, name="keys.md", **who)
    return Owner(memory, who, word, record.id)


def _ask_all(owners: Sequence[Owner], probes: Mapping[str, Probe], rng: random.Random) -> dict[str, Any]:
    """Every owner makes every call with the id of somebody else."""
    crossings, own, showing = list[str](), list[bool](), 0
    for owner in owners:
        for name, probe in probes.items():
            other = rng.choice([one for one in owners if one is not owner])
            answer = answered(probe, owner.memory, owner.who, other.record)
            foreign = [one for one in owners if one is not owner and (one.word in answer or one.record in answer)]
            crossings += [f"{name} of {_named(owner)} told of {_named(one)}" for one in foreign]
            if name in _SHOWING:
                showing += 1
                own.append(owner.word in answer)
    return {"calls": len(owners) * len(probes), "crossings": crossings, "own": sum(own), "showing": showing}


def answered(probe: Probe, memory: Memory, who: Who, id: str) -> str:
    """All that a call tells, without the id that it was given."""
    try:
        return repr(probe(memory, who, id)).replace(id, "")
    except NotFound as error:
        return str(error).replace(id, "")


def _state(owner: Owner) -> str:
    """What there is of an owner, as far as only writes change it."""
    story = owner.memory.why(owner.record, **owner.who)
    turns = owner.memory.session(THREAD, **owner.who).turns()
    return repr((story.record, story.events, turns))


def _named(owner: Owner) -> str:
    ((kind, name),) = owner.who.items()
    return f"{owner.memory.tenant}/{kind}={name}"
