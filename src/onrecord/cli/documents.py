"""Documents as pages for people: what became of them, lists, and passages that answer. Pure: a result in, lines out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onrecord.cli.lines import Line, day, joined, line, one_line
from onrecord.cli.pages import count, score_parts
from onrecord.model.document import Document, Excerpt, Shelved


def shelved_page(done: Sequence[Shelved]) -> Iterator[Line]:
    """One document a line: what of it is new."""
    for one in done:
        parts = [f"{one.added} new", f"{one.kept} as they were" if one.kept else "", f"{one.dropped} gone" if one.dropped else ""]
        queued = f"{one.queued} wait for the embedder (onrecord maintain)" if one.queued else ""
        yield line(one.document.name)
        yield line(joined((count(one.document.passages, "passage"), *parts, one.document.id)), (f"  {queued}", "warn"), indent=2)


def documents_page(documents: Sequence[Document], limit: int) -> Iterator[Line]:
    """One document a line, and how to go on."""
    if not documents:
        yield line(("No documents.", "dim"))
    for one in documents:
        yield line(one.name)
        about = (one.collection, one.subject, count(one.passages, "passage"), f"of {day(one.updated_at)}", one.id)
        yield line(joined(about), indent=2)
    if documents and len(documents) == limit:
        yield line((f"More: --after {documents[-1].id}", "dim"))


def excerpts_page(excerpts: Sequence[Excerpt], *, explain: bool = False) -> Iterator[Line]:
    """Passages, best first, each with the document and section it stands in."""
    if not excerpts:
        yield line(("Nothing is relevant enough.", "dim"))
    for number, one in enumerate(excerpts, 1):
        yield line(one_line(one.passage.text, 400), label=(f"{number:>2}  {one.relevance:.2f}", "strong"), width=10)
        yield line(joined((one.document.name, one.passage.heading, one.document.collection, one.passage.id)), indent=10)
        if explain:
            yield line(score_parts(one.score, one.relevance, one.parts), indent=10)
