"""Reads the tensors of a GGUF file, version 3 (github.com/ggml-org/ggml, docs/gguf.md); single and half precision only."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_STRING, _ARRAY = 8, 9
#: Bytes of a value, by the number of its type.
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_FLOATS = {0: "<f4", 1: "<f2"}
#: What tensors begin at multiples of, unless the file says otherwise; no file we read does.
_ALIGNMENT = 32


@dataclass(frozen=True, slots=True)
class _Place:
    shape: tuple[int, ...]
    kind: int
    offset: int


class GgufFile:
    """The tensors of a file that was read whole. ``lists`` are its metadata that are lists of strings, by name.

    Raises:
        ValueError: it is no GGUF file of version 3.
    """

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 8
        if content[:8] != b"GGUF" + struct.pack("<I", 3):
            raise ValueError(f"no GGUF file of version 3: it begins with {content[:8]!r}")
        tensors, values = self._whole("<Q"), self._whole("<Q")
        self.lists: dict[str, list[str]] = {}
        for _ in range(values):
            name = self._string()
            found = self._value(self._whole("<I"))
            if found is not None:
                self.lists[name] = found
        self._places = dict(self._place() for _ in range(tensors))
        self._start = -(-self._at // _ALIGNMENT) * _ALIGNMENT

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tensors, in the order of the file."""
        return tuple(self._places)

    def tensor(self, name: str) -> NDArray[np.float32]:
        """A tensor in single precision, outermost dimension first. Raises KeyError, ValueError for a quantised one."""
        place = self._places[name]
        if place.kind not in _FLOATS:
            raise ValueError(f"the tensor {name} is of type {place.kind}, not of single or half precision")
        count, start = math.prod(place.shape), self._start + place.offset
        values = np.frombuffer(self._content, np.dtype(_FLOATS[place.kind]), count=count, offset=start)
        return np.asarray(values.reshape(place.shape), np.float32)

    def _whole(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self._content, self._at)
        self._at += struct.calcsize(form)
        return int(value)

    def _string(self) -> str:
        length = self._whole("<Q")
        self._at += length
        return self._content[self._at - length : self._at].decode("utf-8")

    def _value(self, kind: int) -> list[str] | None:
        """Reads past a value; what it holds if that is a list of strings."""
        if kind == _STRING:
            self._string()
        elif kind == _ARRAY:
            inner, count = self._whole("<I"), self._whole("<Q")
            if inner == _STRING:
                return [self._string() for _ in range(count)]
            self._at += _SIZES[inner] * count
        else:
            self._at += _SIZES[kind]
        return None

    def _place(self) -> tuple[str, _Place]:
        name, dimensions = self._string(), self._whole("<I")
        sizes = [self._whole("<Q") for _ in range(dimensions)]
        return name, _Place(tuple(reversed(sizes)), self._whole("<I"), self._whole("<Q"))
