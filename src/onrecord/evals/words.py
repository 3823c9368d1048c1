"""Words that nobody uses, so that whatever holds one of them came from where it was planted."""

from __future__ import annotations

import random

_SYLLABLES = "ba ke li mo nu pra sto vi xa zel dro fin gul hep jin qua".split()


def made_up(rng: random.Random) -> str:
    """A capitalised word of four to six syllables."""
    return "".join(rng.choices(_SYLLABLES, k=rng.randint(4, 6))).capitalize()
