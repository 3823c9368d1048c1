from __future__ import annotations

import onrecord


def test_the_public_names_are_exactly_these() -> None:
    assert sorted(onrecord.__all__) == list(onrecord.__all__)
    assert set(onrecord.__all__) == {
        "AsyncKnowledgeBase",
        "AsyncMemory",
        "AsyncRun",
        "AsyncSession",
        "BudgetTooSmall",
        "Context",
        "Document",
        "EmbedderError",
        "Excerpt",
        "Hit",
        "InvalidInput",
        "Kind",
        "KnowledgeBase",
        "Memory",
        "NotFound",
        "OnRecordError",
        "Policy",
        "Receipt",
        "Record",
        "Run",
        "Session",
        "Status",
        "StoreError",
        "Trace",
        "VersionConflict",
        "restore",
    }
    for name in onrecord.__all__:
        assert getattr(onrecord, name) is not None
