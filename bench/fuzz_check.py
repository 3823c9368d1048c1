"""A check for schemathesis: what fits the description of the server is taken, or refused by a rule that no schema can say.

It stands for ``positive_data_acceptance``, which knows no such rules. Each is told by its field, and here by its words.
"""

from __future__ import annotations

import re
from typing import Any

import schemathesis
from schemathesis.core.failures import Failure
from schemathesis.specs.openapi.checks import positive_data_acceptance

#: Words of the refusals that depend on more than the request's form, each with the reason.
BEYOND = {
    r"filters: ": "filters are a language of their own, and in a query JSON within a string",
    r"after: is no cursor": "a cursor is what a page before gave",
    r"\S+: \S+ is far in the future": "now is another moment in each request",
    r"rerank: needs": "whether there is a reranker is a matter of the server",
    r"new: thread .* exists": "whether a thread is there, too",
    r"tools\[": "tools are written as one of several providers writes them",
    r"(?:text|statement): (?:says nothing|is empty)": "which characters are to be seen, Unicode says in tables",
    r"id: record \S+ is ": "what state a record is in",
    r"budget: ": "how many tokens the words take that have to go in",
    r"(?:valid_from|valid_until|until): ": "a span ends after it begins, and what is over is not renewed",
}
_BEYOND = re.compile("|".join(f"(?:{words})" for words in BEYOND))


@schemathesis.check
def taken(ctx: Any, response: Any, case: Any) -> bool | None:
    """Fails where a request that fits is refused for what the description could have said."""
    try:
        return positive_data_acceptance(ctx, response, case)
    except Failure:
        told = str(response.json().get("detail", "")) if response.status_code == 422 else ""
        if not _BEYOND.match(told):
            raise
    return None
