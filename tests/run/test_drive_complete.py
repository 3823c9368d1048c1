from __future__ import annotations

from onrecord.memory import Memory
from onrecord.run import Run, drive


def test_a_step_that_completes_the_run_ends_it(memory: Memory) -> None:
    def step(run: Run) -> bool:
        run.complete()
        return True

    assert drive(memory.run("r", user_id="ana"), step)
    assert memory.run("r", user_id="ana").step == 0
