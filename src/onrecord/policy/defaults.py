"""Every number of the system, once, with its reason. A ``Policy`` is passed in and may differ per tenant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeVar

from onrecord.model.context import Preset, Share
from onrecord.model.record import Kind, SourceType, Status
from onrecord.policy.bounds import check_fields
from onrecord.policy.weights import BondFloors, EpisodeWeights


class Reading(StrEnum):
    """Who finds what a person said that is worth keeping, where a model is there to read."""

    RULES = "rules"
    MODEL = "model"
    BOTH = "both"


K = TypeVar("K")
V = TypeVar("V")

_DAY = timedelta(days=1)
_YEAR = timedelta(days=365)

#: Characters of a query that are read. What is asked stands at the beginning or end of a long text, and the embedder reads 256
#: tokens; a pasted log of megabytes would keep the full text busy for minutes.
QUERY_LIMIT = 8_000


def _frozen(table: dict[K, V]) -> Mapping[K, V]:
    return MappingProxyType(table)


def _shares(system: float, records: float, knowledge: float, dialogue: float) -> Mapping[Share, float]:
    return _frozen(dict(zip(Share, (system, records, knowledge, dialogue), strict=True)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The settings of one tenant. Shares and scores are 0..1 unless a comment says otherwise.

    Raises ``InvalidInput`` that names the field, and what it may be."""

    # --- trust: how far a source is believed. A person about themselves fully; a tool may be fooled by what it read; a
    # document comes from anywhere; a guess is a guess.
    trust: Mapping[SourceType, float] = field(
        default_factory=lambda: _frozen(
            {
                SourceType.USER_MESSAGE: 1.0,
                SourceType.HUMAN_EDIT: 1.0,
                SourceType.MODEL_INFERENCE: 0.5,
                SourceType.TOOL_RESULT: 0.4,
                SourceType.DOCUMENT: 0.3,
            }
        )
    )

    # --- whose memory: what somebody says of their own taste in a conversation of a team, an account or a home goes to ``user:``
    # and their name (``policy.trust.subject_for``); off where names are not to be trusted, then to whom the conversation belongs.
    personal_subjects: bool = True

    # --- lifespan: how long a statement of a kind holds when nothing was said. Constraints and relationships outlive
    # habits; what a tool measured ages fast; what happened is asked about for a year; 90 days where nothing fits.
    lifespan: Mapping[Kind, timedelta] = field(
        default_factory=lambda: _frozen(
            {
                Kind.CONSTRAINT: 5 * _YEAR,
                Kind.RELATIONSHIP: 5 * _YEAR,
                Kind.DECISION: 2 * _YEAR,
                Kind.PREFERENCE: 2 * _YEAR,
                Kind.STATED_FACT: _YEAR,
                Kind.PROCEDURE: _YEAR,
                Kind.POINTER: _YEAR,
                Kind.EPISODE: _YEAR,
            }
        )
    )
    default_lifespan: timedelta = 90 * _DAY
    # Who somebody is (name, birthday, allergy) does not lapse with the year.
    identity_lifespan: timedelta = 10 * _YEAR

    # --- decay: a record of which confidence x retention falls to ``archive_below`` is archived. One said plainly (.85) and never
    # used gets there after 2.5 half-lives. Tastes and decisions last longer than circumstances; what a tool measured and what
    # was guessed is soon of no use; an episode is asked about within the season.
    half_life: Mapping[Kind, timedelta] = field(
        default_factory=lambda: _frozen(
            {
                Kind.RELATIONSHIP: 2 * _YEAR,
                Kind.PREFERENCE: _YEAR,
                Kind.DECISION: _YEAR,
                Kind.STATED_FACT: 180 * _DAY,
                Kind.PROCEDURE: 180 * _DAY,
                Kind.POINTER: 180 * _DAY,
                Kind.EPISODE: 90 * _DAY,
                Kind.MODEL_INFERENCE: 45 * _DAY,
                Kind.TOOL_FACT: 30 * _DAY,
            }
        )
    )
    default_half_life: timedelta = 90 * _DAY
    # Who somebody is does not fade within a working life.
    identity_half_life: timedelta = 10 * _YEAR
    # Use stretches a half-life up to five-fold, reached with ``reinforcement_cap`` uses.
    half_life_stretch: float = 5.0
    archive_below: float = 0.15
    # What faded and is asked for again comes back, so many for one question at most.
    return_limit: int = 3

    # --- consolidation: what recurs is told in general from so many days in as many sessions on: twice may be chance. One run
    # takes no more than so many records of one subject out of recall: a fault of its rules costs little before it is seen; 0
    # turns all of it off.
    promote_from: int = 3
    merge_limit: int = 200

    # --- retention: what is out of recall is kept so long, from when it went, and then erased. A year of what was so answers
    # questions about last year; what faded may be asked for much later. What is quarantined waits for a person. What a pinned
    # record or one in force rests on stays.
    record_retention: Mapping[Status, timedelta] = field(
        default_factory=lambda: _frozen(
            {
                Status.SUPERSEDED: _YEAR,
                Status.EXPIRED: _YEAR,
                Status.RETRACTED: _YEAR,
                Status.ARCHIVED: 3 * _YEAR,
            }
        )
    )
    # Traces tell why a model was shown something, and are most of what is written: a question about last quarter is answered.
    trace_retention: timedelta = 90 * _DAY
    # Verdicts on turns that are gone, and what is left of erased records in the account.
    account_retention: timedelta = _YEAR
    # Turns lose their vectors, then their words; never while a record in force rests on one alone. What was said is the source
    # of everything, so that nothing goes unless somebody says after how long.
    turn_vector_retention: timedelta | None = None
    turn_retention: timedelta | None = None
    # Of the sources of a record that have no words any more, the first and so many of the latest are named: what is said every
    # day would else be named for ever, each time with the row of a turn. The number of times is counted beside the record.
    source_limit: int = 8

    # --- echo: a sentence is known again by at least so many telling words, of which nearly all have to be repeated. Who restates
    # a fact drops a word or two; other facts of the same thing share half.
    echo_terms: int = 3
    echo_share: float = 0.75

    # --- reconcile
    # Two statements are put side by side from this cosine on, or from this share of their telling words. It only nominates;
    # words decide. Of 49 labelled pairs 37 lay under .60, so the floors are low.
    neighbour_floor: float = 0.45
    shared_words_floor: float = 0.25
    neighbour_limit: int = 12
    # A subject with up to so many current records is compared whole: a correction often shares one rare word with what it
    # corrects, which no ranking finds reliably. Beyond that the nearest have to do.
    whole_subject: int = 200
    # What two statements have to share to be about one thing, in words that no other record of the subject has (a word of two
    # records counts half): two, or one where the old value is named ("200 instead of 250").
    topic_overlap: float = 2.0
    named_overlap: float = 1.0
    # How likely the pair model must find it that an old statement is of the same attribute of the same thing, before the new one
    # says it again, stands against it or takes its place. Set on tools/left_out.py, where lower ones retire more by mistake
    # (decision 5 has the table). What the gate would refuse alone has to be surer, since most of it is of the moment.
    kindred: BondFloors = field(default_factory=lambda: BondFloors(one=0.2, lead=0.1, bond=0.22, unsaid=0.28, again=0.12))
    kindred_light: BondFloors = field(default_factory=lambda: BondFloors(one=0.4, lead=0.1, bond=0.4, unsaid=0.4, again=0.12))
    # The same for an old statement that was too light to keep: to bring it back is a record more, and of two light ones two.
    answer: BondFloors = field(default_factory=lambda: BondFloors(one=0.35, lead=0.1, bond=0.26, unsaid=0.31, again=0.21))
    answer_light: BondFloors = field(default_factory=lambda: BondFloors(one=0.5, lead=0.1, bond=0.37, unsaid=0.45, again=0.3))
    # Turns that are read again for such a statement: the nearest ones. Reading and embedding their parts is all it costs.
    light_turns: int = 8
    # Records of a subject that are compared part by part, the nearest first; the others are compared as a whole.
    parts_limit: int = 24
    # Of two statements of one attribute the model has to find it so likely that they say the same: at .6 it merges 3 of
    # 2,732 pairs of SICK that are merely alike, at .65 none (onrecord eval pairs).
    repeat_floor: float = 0.65
    # Two statements without a telling word in common say the same only if their vectors lie nearer than this.
    repeat_nearness: float = 0.35
    # Rules in other words share at most this part of the words of either; what shares more and differs is another rule.
    paraphrase_overlap: float = 0.5
    # "at least as sure": a little less sure may still correct.
    confidence_slack: float = 0.1
    # Between two statements of people the levels of capture (.70 implied, .85 plain, .95 on purpose) say how plainly it was put.
    spoken_slack: float = 0.26
    # Within a day, without a correction cue, a differing value is a contradiction rather than news.
    contradiction_window: timedelta = _DAY
    # What the gate would refuse alone is heard from this weight on where it replaces or repeats what is on record: that it is
    # there says that its subject lasts. From .5 to .3 two more facts of 512 were kept in one run.
    news_floor: float = 0.3
    # Deciding anew when the subject changed meanwhile; each round some writer succeeds, so this bounds contention.
    reconcile_attempts: int = 64

    # --- rank: boosts are bounded and multiplicative, so that they break ties and never outrank relevance.
    bm25_k1: float = 0.9  # the value for short chat turns of the first measurements
    bm25_b: float = 0.75  # .4 and .75 are level on chat; .75 is better where long answers stand among short questions
    vector_weight: float = 0.6  # of the convex fusion of scores as shares of their best; the rest is BM25
    # The same for embedders that were measured by themselves, by the beginning of their name: decisions/0009-embedder-tiers.md.
    vector_weights: Mapping[str, float] = field(default_factory=lambda: _frozen({"nomic-embed-text-v1.5": 0.6}))
    # The cosine that counts as nothing in the fusion, where unrelated texts are far from 0; of others it is 0.
    cosine_zeros: Mapping[str, float] = field(default_factory=lambda: _frozen({"nomic-embed-text-v1.5": 0.45}))
    # Of a search that asks for reranking, so many of the first rows are looked at again, and so much the second opinion counts.
    rerank_depth: int = 20
    rerank_weight: float = 0.3
    episodes: EpisodeWeights = field(default_factory=EpisodeWeights)
    candidate_limit: int = 200  # per leg; more changes nothing measurable on the public sets
    freshness_days: float = 60.0  # freshness = 1 / (1 + days / 60)
    reinforcement_cap: int = 10  # reinforcement = min(accesses / 10, 1)
    freshness_weight: float = 0.2
    reinforcement_weight: float = 0.1
    confidence_weight: float = 0.1
    # All boosts together move a score by at most this share, either way.
    boost_span: float = 0.05

    # --- what a turn is worth as an answer
    # A statement that the gate weighed at least so is nearly kept (it keeps from .8 on), and may be taken for what is so. Of
    # refused turns that answer a probe of the four labelled writers, most lie above; of those that must not, few.
    nearly_kept: float = 0.7
    # What was found too light to keep has to be this relevant before it answers alone; .3 is asked of other turns.
    light_floor: float = 0.7
    # What does not answer by itself (a question, a request, words that are over) may stand beside an answer, behind it.
    history_weight: float = 0.9
    # A statement that is at least this share of what its turn says is about what the turn is about, and is compared as that too.
    lending_share: float = 0.3

    # Turns of a thread that a question may be built from: the last two exchanges and what was said in between. What is meant by
    # "his" stands further back seldom, and then it is said again.
    thread_turns: int = 8

    # --- select
    search_limit: int = 5
    context_limit: int = 12
    trace_limit: int = 50  # candidates kept in a stored trace
    profile_limit: int = 50  # records that a profile shows: about two screens
    misses_traces: int = 1_000  # searches that are looked through for misses: some weeks of a busy person

    # --- documents
    # Characters of a passage, below its headings: the packaged embedder reads 256 tokens, in English about so many. What is cut
    # within a paragraph begins with the last sentence before, up to the overlap. A block of code is cut only if it is longer than
    # a screen or two.
    passage_size: int = 1_200
    passage_overlap: int = 150
    code_size: int = 4_000
    document_limit: int = 5_000_000  # characters of a document; more is refused, never cut
    knowledge_limit: int = 6  # passages in a context: at 8,000 tokens about so many fill their share
    knowledge_traced: int = 20  # passages whose scores a trace keeps

    # --- context: shares of the budget, decided once; what they leave is for the state of the task and the current step. Support
    # lives on documents, code on tool results and state, research on what is on record and in documents.
    shares: Mapping[Preset, Mapping[Share, float]] = field(
        default_factory=lambda: _frozen(
            {
                Preset.ASSISTANT: _shares(0.15, 0.20, 0.25, 0.25),
                Preset.SUPPORT: _shares(0.15, 0.20, 0.35, 0.20),
                Preset.CODING: _shares(0.15, 0.10, 0.30, 0.20),
                Preset.RESEARCH: _shares(0.10, 0.35, 0.35, 0.10),
            }
        )
    )
    context_budget: int = 8_000  # tokens, when the caller names none: an absolute ceiling, whatever the model's window
    window_share: float = 0.5  # a fuller window is a smell: models lose what stands in the middle of long prompts
    # Of at most twelve records so many may be standing (constraints, who somebody is), so that some are left for the question.
    standing_limit: int = 8
    # Of so many current constraints, pinned and identity records the standing ones are chosen; nobody has more in earnest.
    standing_pool: int = 200
    # Turns looked at for a context: at 8,000 tokens short chat turns fill it with about so many.
    episode_limit: int = 150
    # Where a budget is there to be filled, turns come in once the best has this relevance: on LoCoMo 98 % of the questions reach
    # it (84 % the floor of a search, .3), and 59 % of those put to another talk; a row too many costs less than one missed.
    fill_floor: float = 0.05
    # A recalled turn of more tokens than usual gives way to shorter ones that are nearly as good: its score counts divided by
    # this power of its length. Where answers take 1,000 tokens (BEAM) more of the evidence fits; where rows take 60 (LoCoMo)
    # nothing changes (decisions/0011-context.md).
    usual_row: int = 100
    long_row_weight: float = 0.3
    # Of the budget, what goes at once when the window of the dialogue is full: the more, the longer the prompt then only grows.
    dialogue_chunk: float = 1 / 3
    # Beside a dialogue recalled turns take at most this part of the budget: more would outweigh what stays identical from turn to
    # turn, and what was said last matters more there.
    episode_share: float = 0.05
    # Pointers: an order, a ticket, a booking are what a conversation is about; each is read at every turn, while a person waits.
    pointer_limit: int = 5
    pointer_timeout: timedelta = timedelta(seconds=2)
    pointer_text: int = 20_000  # characters of what one gives that are looked at: far more than a row shows
    live_time: timedelta = timedelta(seconds=5)  # for all of them together, which are read side by side
    knowledge_time: timedelta = timedelta(seconds=2)  # a base of documents of somebody else's: as long as a pointer
    # Calls of one resolver under way at a time: as many as a busy server makes; that many that never come back are no reason to
    # begin more.
    errands: int = 16
    cached_price: float = 0.1  # of a token that a provider has cached, as a part of a fresh one's (Anthropic; OpenAI .1 to .5)

    # --- reading with a model, where one is configured for it (``reader``); what it finds goes through the same gate as all else
    reading: Reading = Reading.BOTH
    # So many of a person's turns of one thread are read in one call: 1 reads at the end of each turn, more shares what the call
    # costs by itself (about 500 tokens) among them. A small model loses track of longer stretches.
    reading_turns: int = 8
    # A thread in which nobody said anything for so long is read as it stands: that is how a session ends for most people.
    reading_wait: timedelta = timedelta(minutes=10)
    reading_input: int = 3_000  # tokens of those turns in one call
    reading_before: int = 4  # turns before them that are shown, so that "yes" and "he" are understood
    reading_records: int = 12  # records that are shown beside them, however many there are
    # Answers of a model that cannot be used before a turn is parked. A turn whose first answer failed is read alone.
    reading_tries: int = 3
    # Whether the model for summaries is also asked which records say the same, and which cannot both be true, each once a subject
    # and run; so many are shown.
    suggest_merges: bool = False
    suggest_conflicts: bool = False
    suggest_records: int = 60
    # Tokens and cost of a tenant's day (UTC) in all of its calls; 0 is no limit. Two million is a runaway loop, and some 5,000
    # turns. Prices are of a million tokens, in the currency of whoever pays; without them the cost is 0.
    model_tokens: int = 2_000_000
    model_cost: float = 0.0
    price_given: float = 0.0
    price_written: float = 0.0

    # --- sessions
    summary_input: int = 24_000  # tokens of turns that a model is given to summarise at once: what small ones read with care
    # A thread nobody wrote to for so long is put away: people come back to a conversation within days, seldom after a month.
    thread_idle: timedelta = 30 * _DAY
    recap_size: int = 2_000  # characters of the lines that an episode keeps beside what was decided: about a screen

    # --- the asynchronous face
    # Calls that run at once; more wait. Embedding takes all cores already and SQLite has one writer, so threads help readers,
    # and each holds a connection with a cache of its own.
    call_threads: int = 8

    # --- telemetry: spans leave the process, so what was asked and what is on record stand in none unless somebody asks for it.
    span_text: bool = False

    # --- limits on input
    text_limit: int = 1_000_000  # characters of one message; more is refused, never cut
    capture_limit: int = 20_000  # characters of one turn that rule capture reads
    # A time of saying that lies further ahead is a slip of the year or of the unit; less may be a clock that goes wrong.
    ahead_limit: timedelta = _YEAR
    capture_tries: int = 5  # then a turn is parked and shown

    def __post_init__(self) -> None:
        check_fields(self, _defaults())

    def span(self, kind: Kind, *, identity: bool = False) -> timedelta:
        """How long a statement of a kind holds when nothing was said; longer if it says who somebody is."""
        span = self.lifespan.get(kind, self.default_lifespan)
        return max(span, self.identity_lifespan) if identity and kind is not Kind.MODEL_INFERENCE else span


def _defaults() -> dict[str, Any]:
    return {
        one.name: one.default_factory() if one.default is MISSING and one.default_factory is not MISSING else one.default
        for one in fields(Policy)
    }
