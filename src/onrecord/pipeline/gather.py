"""Gather: what a context could show of each section, as items that the budget then chooses from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from onrecord.model.context import Section
from onrecord.model.document import Excerpt
from onrecord.model.query import Include, Query, View
from onrecord.model.record import Kind, Record
from onrecord.model.run import Checkpoint
from onrecord.model.scope import Reach
from onrecord.model.trace import Hit
from onrecord.model.turn import Role
from onrecord.pipeline.asking import in_thread
from onrecord.pipeline.pointers import Live
from onrecord.pipeline.retrieve import search
from onrecord.policy.context.pack import Item, Wish, by_worth
from onrecord.policy.context.rows import episode_row, live_row, passage_row, record_row, state_rows
from onrecord.policy.dialogue.frame import Row, Tag, block, labelled, render
from onrecord.policy.dialogue.messages import query_text
from onrecord.policy.dialogue.parts import MESSAGE_OVERHEAD
from onrecord.policy.secrecy.mask import masked
from onrecord.policy.visible import is_stale
from onrecord.ports import Engine

#: What happened in a session is found by search, and is never put before the model as what is true; a pointer is read live.
_TOLD = frozenset(Kind) - {Kind.EPISODE, Kind.POINTER}
CAPPED = "over the cap of records"
_TAGS = {
    Section.STANDING: Tag.MEMORY,
    Section.STATE: Tag.STATE,
    Section.RECORDS: Tag.MEMORY,
    Section.EPISODES: Tag.EPISODES,
    Section.KNOWLEDGE: Tag.KNOWLEDGE,
    Section.LIVE: Tag.LIVE,
}
#: Tokens of a short turn as a row: what tells how many are worth looking at.
_SHORT_ROW = 30
_FEW = 10


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a search gave for a context, the id of its trace (``None`` where nothing was asked), and what was looked for."""

    records: tuple[Hit, ...] = ()
    episodes: tuple[Hit, ...] = ()
    trace_id: str | None = None
    query: str = ""


def tag_of(section: Section) -> Tag:
    """The block that a section is shown in."""
    return _TAGS[section]


def standing(engine: Engine, reach: Reach, limit: int) -> tuple[list[Hit], list[Hit]]:
    """What holds whatever is asked: constraints first, then what is pinned and who somebody is, the newest of each.

    Those within ``limit`` in order of id, so that a new one comes last and what stands before stays as it was; and the others."""
    view = View(reach=reach, valid_at=engine.clock())
    identity = sorted(engine.vocabulary.identity_keys)
    who = {"OR": [{"pinned": True}, {"key": {"in": identity}, "kind": {"nin": [Kind.EPISODE, Kind.POINTER]}}]}
    pool = engine.policy.standing_pool
    rules = engine.store.select(replace(view, kinds=frozenset({Kind.CONSTRAINT})))[-pool:]
    rest = [record for record in engine.store.select(replace(view, kinds=_TOLD, filters=who))[-pool:] if record not in rules]
    ranked = [*sorted(rules, key=_newest), *sorted(rest, key=_newest)]
    hits = [_hit(engine, masked(record)) for record in ranked]
    return sorted(hits[:limit], key=lambda hit: hit.id), [hit for hit in hits[limit:] if _binds(hit)]


def recalled(
    engine: Engine,
    reach: Reach,
    message: str,
    *,
    thread: str | None,
    query: str | None,
    records: int,
    room: int,
    fill: bool,
    passed: Collection[str],
) -> Recalled:
    """What the message calls for: at most so many ``records``, and turns for about ``room`` tokens; none of the ``passed``.

    What the message leaves out is taken from the last turns of the ``thread``, unless a ``query`` is given. With ``fill`` weak
    turns come too, behind the others."""
    text = query_text(message)
    if not text.strip() and query is None:
        return Recalled()
    now = engine.clock()
    episodes = min(engine.policy.episode_limit, room // _SHORT_ROW + _FEW) if room > 0 else 0
    asked = Query(
        text=text,
        view=View(reach=reach, valid_at=now, kinds=_TOLD),
        include=Include.BOTH if episodes else Include.RECORDS,
        limit=records + episodes + len(passed),
        now=now,
        fill=fill,
        around=0,
    )
    found = search(engine, in_thread(engine, reach, thread, asked, query))
    fresh = [hit for hit in found.hits if hit.id not in passed]
    turns = [hit for hit in fresh if hit.turn is not None and hit.turn.role is not Role.SYSTEM and hit.turn.text.strip()]
    return Recalled(
        tuple(hit for hit in fresh if hit.record is not None), tuple(turns[:episodes]), found.trace.id, found.trace.query
    )


def record_wish(
    engine: Engine,
    section: Section,
    hits: Sequence[Hit],
    labels: Mapping[str, str],
    cap: int,
    behind: Sequence[Hit] = (),
) -> Wish:
    """The wish to show records; a conflict goes in with its other sides or not at all. What binds comes before the rest, and
    those that stand ``behind`` if there are places left."""
    groups = sorted(_conflicts(hits), key=lambda group: not any(map(_binds, group)))
    groups += _conflicts(behind)
    items, refused = list[Item](), dict[str, str]()
    for group in groups:
        if sum(len(item.ids) for item in items) + len(group) > cap:
            refused |= {hit.id: CAPPED for hit in group}
            continue
        rows = [record_row(hit, labels[hit.id], labels) for hit in group]
        binding = any(map(_binds, group))
        items.append(_item(engine, [hit.id for hit in group], rows, required=binding, place=_place(section, labels[group[0].id])))
    return Wish(section, tuple(items), _frame(engine, section), refused=refused)


def episode_wish(engine: Engine, hits: Sequence[Hit], most: int | None) -> Wish:
    """The wish to show recalled turns, those worth most for their length first; they are shown in the order they were said."""
    items = []
    for hit, label in zip(hits, labelled("e", len(hits)), strict=True):
        assert hit.turn is not None
        items.append(
            _item(engine, [hit.id], [episode_row(hit, label)], place=f"{hit.turn.at.timestamp():020.3f} {hit.turn.seq:09}")
        )
    order = by_worth([hit.score for hit in hits], [item.tokens for item in items], engine.policy)
    return Wish(Section.EPISODES, tuple(items[place] for place in order), _frame(engine, Section.EPISODES), most)


def state_wish(engine: Engine, checkpoint: Checkpoint) -> Wish:
    """The wish to show the state of a run, in the order it has."""
    items = [_item(engine, [row.label], [row], required=row.type in ("status", "waiting_for")) for row in state_rows(checkpoint)]
    return Wish(Section.STATE, tuple(items), _frame(engine, Section.STATE))


def knowledge_wish(engine: Engine, excerpts: Sequence[Excerpt]) -> Wish:
    """The wish to show passages of documents, the most relevant first."""
    named = zip(excerpts, labelled("k", len(excerpts)), strict=True)
    items = [_item(engine, [one.passage.id], [passage_row(one, label)]) for one, label in named]
    return Wish(Section.KNOWLEDGE, tuple(items), _frame(engine, Section.KNOWLEDGE))


def live_wish(engine: Engine, live: Sequence[Live]) -> Wish:
    """The wish to show what pointers gave, and which gave nothing and why."""
    items = []
    for one, label in zip(live, labelled("p", len(live)), strict=True):
        row = live_row(one.record, label, one.text, at=one.at, failure=one.failure, last=one.last)
        items.append(_item(engine, [one.record.id], [row]))
    return Wish(Section.LIVE, tuple(items), _frame(engine, Section.LIVE))


def labels_of(standing: Sequence[Hit], records: Sequence[Hit]) -> dict[str, str]:
    """A label for each record, by id: ``s1`` and so on for what is standing, ``r1`` and so on for the others."""
    named = zip((hit.id for hit in standing), labelled("s", len(standing)), strict=True)
    others = zip((hit.id for hit in records), labelled("r", len(records)), strict=True)
    return {**dict(others), **dict(named)}


def _conflicts(hits: Sequence[Hit]) -> Iterator[list[Hit]]:
    """The hits in order, each with those of the others that it conflicts with."""
    left = {hit.id: hit for hit in hits}
    while left:
        group = [left.pop(next(iter(left)))]
        for hit in group:
            group += [left.pop(id) for id in hit.conflicts_with if id in left]
        yield group


def _hit(engine: Engine, record: Record) -> Hit:
    stale = is_stale(record, engine.clock())
    return Hit(
        id=record.id,
        score=1.0,
        relevance=1.0,
        record=record,
        trust=record.trust,
        conflicts_with=record.conflicts_with,
        stale=stale,
    )


def _binds(hit: Hit) -> bool:
    return hit.record is not None and (hit.record.kind is Kind.CONSTRAINT or hit.record.negation)


def _newest(record: Record) -> tuple[float, str]:
    return -record.said_at.timestamp(), record.id


def _place(section: Section, label: str) -> str:
    return f"{int(label[1:]):06}" if section is Section.STANDING else ""


def _item(engine: Engine, ids: Sequence[str], rows: Sequence[Row], *, required: bool = False, place: str = "") -> Item:
    lines = tuple(map(render, rows))
    return Item(tuple(ids), lines, sum(engine.tokens.count(f"{line}\n") for line in lines), required, place)


def _frame(engine: Engine, section: Section) -> int:
    return engine.tokens.count(f"{block(_TAGS[section], ())}\n") + MESSAGE_OVERHEAD
