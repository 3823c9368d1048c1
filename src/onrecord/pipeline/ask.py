"""What a context is wanted for, with what the caller left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onrecord.model.context import Preset, Shape
from onrecord.model.scope import Origin, Reach
from onrecord.policy.context.tools import shaped_tools
from onrecord.policy.defaults import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a context is wanted for. ``thread`` is ``None`` where there is no dialogue to show, ``run`` where no task is at hand;
    ``message`` is empty where the dialogue ends in what is to be answered, such as the result of a tool. ``query`` is what to
    look for in place of what the message and the thread ask."""

    reach: Reach
    thread: str | None
    message: str
    system: str = ""
    budget: int
    limit: int
    tools: tuple[Mapping[str, Any], ...] = ()
    shape: Shape = Shape.OPENAI
    preset: Preset = Preset.ASSISTANT
    run: str | None = None
    window: int | None = None
    query: str | None = None


def ask_for(
    policy: Policy,
    reach: Reach,
    message: str,
    *,
    tools: Sequence[Mapping[str, Any]],
    shape: Shape,
    budget: int | None,
    limit: int | None,
    window: int | None,
    run: str | None,
    **given: Any,
) -> Ask:
    """The ask with what the caller left out: the policy's budget, within half of the window if that is named, and its cap.

    Raises ``InvalidInput`` for a tool without a name, or what can't be the name of a run."""
    Origin(run=run)
    if budget is None:
        budget = min(policy.context_budget, int(window * policy.window_share)) if window else policy.context_budget
    return Ask(
        reach=reach,
        message=message,
        budget=budget,
        limit=policy.context_limit if limit is None else min(limit, policy.context_limit),
        tools=shaped_tools(tools, shape),
        shape=shape,
        window=window,
        run=run,
        **given,
    )
