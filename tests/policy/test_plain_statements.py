"""What everybody tries first: plain statements are kept, plain chatter is not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from onrecord.model.scope import Origin
from onrecord.model.turn import Role, Turn
from onrecord.policy.capture.propose import propose
from onrecord.policy.defaults import Policy
from onrecord.policy.gate.judge import judge, judge_turn
from onrecord.policy.language.vocabulary import Vocabulary

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)

KEEPS = [
    "I prefer window seats on long flights.",
    "I prefer tea over coffee.",
    "My name is Ana.",
    "I live in Berlin.",
    "I work at Northwind as a data engineer.",
    "I am allergic to walnuts.",
    "I'm vegetarian.",
    "Never call me before nine.",
    "Please always answer in German.",
    "From now on, send invoices to billing@acme.test.",
    "Don't ever deploy on Fridays.",
    "We decided to use Postgres because of row-level security.",
    "We agreed that the launch moves to 3 May 2026.",
    "Remember that my badge number is 4471.",
    "For the record: the spare key is with Odile.",
    "Actually I moved to Madrid, I no longer live in Berlin.",
    "I meant the 14th, my appointment with the notary is on 14 April 2026.",
    "My manager is Priya.",
    "My sister Lena lives in Graz.",
    "I take metformin every morning.",
    "My favourite editor is Helix.",
    "I speak Portuguese and some French.",
    "Our test command is `just test`.",
    "We use pnpm, not npm, in this repo.",
    "I can't eat gluten.",
    "I hate phone calls, write to me instead.",
    "Remember that I prefer window seats.",
    "My birthday is on 9 November.",
    "I usually work from home on Tuesdays and Thursdays.",
    "The retry in the import job only works if the cache is cleared first.",
    "Ich wohne in Leipzig und bin gegen Erdnüsse allergisch.",
]

REFUSALS = [
    "What's the weather like?",
    "Where do I live?",
    "Thanks, that's perfect!",
    "ok",
    "lol",
    "Good morning!",
    "Book me a table for tonight.",
    "Can you draft an email to the landlord?",
    "I'm so tired today.",
    "I'm on the train right now.",
    "If I ever move to Lisbon, I'd want a balcony.",
    "What if we used Kafka instead?",
    "My colleague says she prefers Vim.",
    '"I never eat meat," said the man in the film.',
    "Sure, and I'm the queen of England.",
    "I'd sell my soul for a coffee lol",
    "Translate this: I live in Paris.",
    "Make it shorter.",
    "It's 14 degrees outside.",
    "The build is failing again.",
    "hmm let me think",
    "Just this once, use the red template.",
    "Show me the last three orders.",
    "Running late, be there in ten.",
    "That was a great film.",
    "Wow, congratulations!",
    "Imagine I were a lawyer.",
    "The bus was full this morning.",
    "see you tomorrow",
    "Remember that summer we got lost in Rome?",
    "Could you repeat that?",
]


def kept(text: str, role: Role = Role.USER) -> list[str]:
    turn = Turn(
        id="turn_x",
        tenant="t",
        subject="user:ana",
        origin=Origin(thread="s"),
        role=role,
        author="ana",
        text=text,
        at=NOW,
        written_at=NOW,
        seq=1,
    )
    policy = Policy()
    if judge_turn(turn, policy) is not None:
        return []
    found = propose(turn, (), policy, Vocabulary())
    return [candidate.statement for candidate in found if judge(candidate, turn, (), policy).accepted]


@pytest.mark.parametrize("text", KEEPS)
def test_a_plain_statement_is_kept(text: str) -> None:
    assert kept(text)


@pytest.mark.parametrize("text", REFUSALS)
def test_plain_chatter_is_refused(text: str) -> None:
    assert kept(text) == []


@pytest.mark.parametrize("text", KEEPS)
def test_the_assistants_words_are_never_facts(text: str) -> None:
    assert kept(text, Role.ASSISTANT) == []
