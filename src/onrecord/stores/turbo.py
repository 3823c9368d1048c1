"""The sketch of the package turbovec: four bits for each number of a vector, in machine code. The one module that knows it.

It is the work of one author and not needed: without it ``stores.sketch`` does the same in numpy. Nothing of it is ever written to
disk.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onrecord.ports import Vector

try:
    from turbovec import TurboQuantIndex
except ImportError:
    TurboQuantIndex = None

#: Whether it is used where it suits.
enabled = TurboQuantIndex is not None
_BITS = 4
#: It takes dimensions that are a multiple of this.
_STEP = 8


#: The process in which its threads run, once there are any.
_process: list[int] = []


def suits(dim: int) -> bool:
    """Whether the package is there and takes vectors of this dimension. Its threads do not survive a fork."""
    return enabled and dim % _STEP == 0 and _process in ([], [os.getpid()])


class TurboSketch:
    """See ``Sketch``. Its lock keeps questions and additions apart."""

    def __init__(self, dim: int) -> None:
        _process[:] = [os.getpid()]
        self._index: Any = TurboQuantIndex(dim=dim, bit_width=_BITS)
        self._dim, self._lock = dim, threading.Lock()

    @property
    def nbytes(self) -> int:
        """What it takes of memory: its codes, and a scale for each row."""
        return len(self._index) * (self._dim * _BITS // 8 + 4)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._index)

    def wide(self, limit: int) -> int:
        """See ``Sketch.wide``. Of a million, 1,200 held .997 of the 200 nearest, and 300 all of the ten nearest."""
        return 6 * limit + 200

    def add(self, vectors: Vector) -> None:
        """See ``Sketch.add``."""
        with self._lock:
            self._index.add(np.ascontiguousarray(vectors, dtype=np.float32))

    def likely(self, query: Vector, shown: NDArray[np.bool_], count: int) -> NDArray[np.int64]:
        """See ``Sketch.likely``."""
        there = int(np.count_nonzero(shown))
        if there <= count:
            return np.flatnonzero(shown)
        with self._lock:
            size = len(self._index)
            mask = shown if len(shown) == size else np.concatenate([shown, np.zeros(size - len(shown), dtype=np.bool_)])
            asked = np.ascontiguousarray(query[None, :], dtype=np.float32)
            _, found = self._index.search(asked, count, mask=None if there == size else mask)
        places: NDArray[np.int64] = found[0].astype(np.int64)
        return places
