"""Every number of the system, once, with its reason. A ``Policy`` is passed in and may differ per tenant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType
from typing import TypeVar

from onrecord.model.record import Kind, SourceType
from onrecord.policy.weights import EpisodeWeights

K = TypeVar("K")
V = TypeVar("V")

_DAY = timedelta(days=1)
_YEAR = timedelta(days=365)

#: Characters of a query that are read. What is asked stands at the beginning or end of a long text, and the embedder reads 256
#: tokens; a pasted log of megabytes would keep the full text busy for minutes.
QUERY_LIMIT = 8_000


def _frozen(table: dict[K, V]) -> Mapping[K, V]:
    return MappingProxyType(table)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The settings of one tenant. Shares and scores are 0..1 unless a comment says otherwise."""

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
    # says it again, stands against it or takes its place, and how far the next best one has to lie behind. Without a word that
    # says that something changed it has to be surer. With one hand left out of the training, 62 of the 74 statements named from
    # .5 on and 41 of the 44 from .8 on are right (tools/train_pairs.py --report).
    kindred_floor: float = 0.55
    kindred_sure: float = 0.7
    kindred_lead: float = 0.2
    # Rules in other words share at most this part of the words of either; what shares more and differs is another rule.
    paraphrase_overlap: float = 0.5
    # "at least as sure": a little less sure may still correct.
    confidence_slack: float = 0.1
    # Between two statements of people the levels of capture (.70 implied, .85 plain, .95 on purpose) say how plainly it was put.
    spoken_slack: float = 0.26
    # Within a day, without a correction cue, a differing value is a contradiction rather than news.
    contradiction_window: timedelta = _DAY
    # What the gate would refuse alone is heard from this weight on where it replaces or repeats what is on record: that it is
    # there says that its subject lasts. From .5 to .3 two more facts of 512 were kept, and no wrong one.
    news_floor: float = 0.3
    # Deciding anew when the subject changed meanwhile; each round some writer succeeds, so this bounds contention.
    reconcile_attempts: int = 64

    # --- rank: boosts are bounded and multiplicative, so that they break ties and never outrank relevance.
    bm25_k1: float = 0.9  # the value for short chat turns of the first measurements
    bm25_b: float = 0.75  # .4 and .75 are level on chat; .75 is better where long answers stand among short questions
    vector_weight: float = 0.6  # of the convex fusion of scores as shares of their best; the rest is BM25
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

    # --- select
    search_limit: int = 5
    context_limit: int = 12
    trace_limit: int = 50  # candidates kept in a stored trace

    # --- context: shares of the budget, decided once. The rest is for the current step.
    system_share: float = 0.15
    record_share: float = 0.20
    dialogue_share: float = 0.25
    context_budget: int = 8_000  # tokens, when the caller names none

    # --- sessions
    summary_input: int = 24_000  # tokens of turns that a model is given to summarise at once: what small ones read with care
    # A thread nobody wrote to for so long is put away: people come back to a conversation within days, seldom after a month.
    thread_idle: timedelta = 30 * _DAY
    recap_size: int = 2_000  # characters of the lines that an episode keeps beside what was decided: about a screen

    # --- limits on input
    text_limit: int = 1_000_000  # characters of one message; more is refused, never cut
    capture_limit: int = 20_000  # characters of one turn that rule capture reads
    capture_tries: int = 5  # then a turn is parked and shown
