"""The plan of a context: which sections there are, what each may take, and who goes first.

Priority for the budget and position in the prompt are two things. ``PRIORITY`` is the first; the order of ``Section`` is the
second: what is stable stands first, so that a provider finds its beginning cached, and what matters now stands last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from onrecord.errors import InvalidInput
from onrecord.model.context import Section, Share

#: Who takes from the budget before whom.
PRIORITY = (
    Section.SYSTEM, Section.TOOLS, Section.CURRENT, Section.STANDING, Section.STATE, Section.RECORDS, Section.LIVE,
    Section.KNOWLEDGE, Section.EPISODES, Section.DIALOGUE, Section.SUMMARY,
)  # fmt: skip
#: Sections that follow the dialogue and are made anew every turn, in order of position.
VARYING = (Section.STATE, Section.RECORDS, Section.EPISODES, Section.KNOWLEDGE, Section.LIVE)
_GROUPS = {
    Section.SYSTEM: Share.SYSTEM,
    Section.TOOLS: Share.SYSTEM,
    Section.STANDING: Share.SYSTEM,
    Section.RECORDS: Share.RECORDS,
    Section.EPISODES: Share.RECORDS,
    Section.KNOWLEDGE: Share.KNOWLEDGE,
    Section.LIVE: Share.KNOWLEDGE,
    Section.SUMMARY: Share.DIALOGUE,
    Section.DIALOGUE: Share.DIALOGUE,
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What each group of sections may take of ``budget``, in tokens. Raises ``InvalidInput`` for shares above 1 together.

    ``there`` are the sections that this context has at all. Only what is known before a word is looked up decides that, so that
    the room of the dialogue is the same from turn to turn.
    """

    budget: int
    shares: Mapping[Share, float]
    there: frozenset[Section]

    def __post_init__(self) -> None:
        if min(self.shares.values()) < 0 or sum(self.shares.values()) > 1:
            raise InvalidInput("policy.shares", f"sum up to {sum(self.shares.values()):.2f}", "keep them within 0 and 1 together")

    def share(self, section: Section) -> int:
        """Tokens of the group of a section; the rest for the state and the current step."""
        group = _GROUPS.get(section)
        part = self.shares[group] if group else 1 - sum(self.shares.values())
        return int(self.budget * part)

    def reserved(self) -> int:
        """Tokens kept free of dialogue for the sections behind it."""
        groups = {_GROUPS[section] for section in VARYING if section in self.there and section in _GROUPS}
        return sum(int(self.budget * self.shares[group]) for group in groups)

    @property
    def spills(self) -> bool:
        """Whether sections behind the dialogue may take what others leave: without a dialogue nothing has to stay identical."""
        return Section.DIALOGUE not in self.there

    def together(self, section: Section) -> Collection[Section]:
        """The sections that share with this one, itself included, in order of priority."""
        group = _GROUPS.get(section)
        return [other for other in PRIORITY if _GROUPS.get(other) is group]
