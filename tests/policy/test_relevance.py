"""Absolute relevance."""

from __future__ import annotations

import pytest

from onrecord.model.query import Corpus
from onrecord.policy.recall.relevance import CALIBRATIONS, DEFAULT, calibration, relevance

MINILM = calibration("all-MiniLM-L6-v2/int8", Corpus.RECORDS)


@pytest.mark.parametrize("corpus", list(Corpus))
def test_every_corpus_knows_the_packaged_embedder_and_words_alone(corpus: Corpus) -> None:
    assert calibration("", corpus) is CALIBRATIONS[corpus][""]
    assert calibration("all-MiniLM-L6-v2/int8", corpus) is CALIBRATIONS[corpus]["all-MiniLM-L6-v2"]
    assert calibration("nomic-embed-text-v1.5/int8", corpus) is CALIBRATIONS[corpus]["nomic-embed-text-v1.5"]
    assert calibration("somebody/else", corpus) is DEFAULT


def test_relevance_grows_with_cosine_and_with_shared_words() -> None:
    assert relevance(0.2, 0.0, MINILM) < relevance(0.4, 0.0, MINILM) < relevance(0.4, 0.3, MINILM)


def test_a_record_is_asked_for_less_than_a_turn() -> None:
    assert relevance(0.35, 0.0, MINILM) > relevance(0.35, 0.0, calibration("all-MiniLM-L6-v2/int8", Corpus.TURNS))


def test_a_question_that_is_near_everything_is_near_nothing_in_particular() -> None:
    assert relevance(0.4, 0.0, MINILM, usual=0.3) < relevance(0.4, 0.0, MINILM, usual=0.1) == relevance(0.4, 0.0, MINILM)
