"""What was read of a short text is not read again."""

from __future__ import annotations

from onrecord.policy.language.remembered import remembered


def test_a_short_text_is_read_once_and_a_long_one_every_time() -> None:
    read: list[str] = []

    @remembered
    def size(text: str, more: int) -> int:
        read.append(text)
        return len(text) + more

    long = "x" * 10_000
    assert [size("abc", 1), size("abc", 1), size("abc", 2), size(long, 1), size(long, 1)] == [4, 4, 5, 10_001, 10_001]
    assert read == ["abc", "abc", long, long]
