"""Lines that a program printed and somebody pasted in: traces, logs, terminals, code, data. They are nobody's words.

A line is known by a form that nobody writes by hand: a frame of a trace, a level behind a time of day with seconds, a prompt of a
shell. Some forms open a block, which goes on to the next empty line, or to one that speaks of its speaker. What might be prose by
itself ("budget = 500", "[WARNING] nuts") counts only beside another line that a program printed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from onrecord.policy.language.pattern import regex

#: Where a trace begins, at the start of a line or in the middle of one, behind what a person says of it.
TRACE = regex(
    r"Traceback \(most recent call last\):|Exception in thread \"[^\"\n]{0,80}\"|\bgoroutine \d+ \[|"
    r"thread '[^'\n]{0,80}' (?:\(\d+\) )?panicked at\b|panic: runtime error\b|\*\*\* stack smashing|stack backtrace:"
)
_FRAME = regex(
    r"\s*File \"[^\"\n]{1,300}\", line \d+|\s*at [\w$.<>\[\]`/]{1,200}\((?:[\w$./ -]{1,200}:\d+|Native Method|Unknown Source)\)|"
    r"\s+at [\w$.<>\[\]`]{1,200}\.[\w$<>`]{1,80}\([^()\n]{0,200}\)|\s+at (?:[\w$.<>\[\] ]{1,80} \()?\S{1,300}:\d+:\d+\)?\s*$|"
    r"#\d+ {1,4}(?:0x[\da-f]+|/|\{main\}|[\w:~]+ ?\()|Caused by: [\w.$]{1,200}(?::|\s*$)|\s+\.\.\. \d+ (?:more|common frames)|"
    r"During handling of the above exception,|The above exception was the direct cause"
)
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|CRITICAL|FATAL|SEVERE)"
_STAMP = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d"
_LOG = regex(
    rf"\[?(?:{_STAMP}|\d\d:\d\d:\d\d)[\d:.,+Z]{{0,15}}[^\w\n]{{1,3}}(?:\w{{1,20}}\W{{1,3}}){{0,2}}{_LEVEL}\b|"
    r"[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \S{1,80} \S{1,80}:|\d{1,3}(?:\.\d{1,3}){3} - \S{1,40} \[|"
    rf"{_LEVEL}:[\w.]{{1,80}}:|{_LEVEL} {{1,3}}\[[\w.-]{{1,60}}\]|level=[a-z]+ |npm (?:ERR!|error|WARN|warn) "
)
_CODE = regex(
    r"\s*(?:async )?def \w+\([^)\n]{0,200}\)[^:\n]{0,40}:|\s*class [A-Z]\w{2,}(?:\([\w., ]{0,80}\))?:\s*$|\s*#include\s*[<\"]|"
    r"\s*(?:public|private|protected) (?:static|final|abstract|class|interface|void|int|String|boolean) \w|"
    r"\s*(?:export )?(?:async )?function \w*\(|\s*(?:export )?(?:const|let|var) [\w{}, ]{1,60} ?= ?\S|"
    r"\s*from [a-z_.][\w.]{0,80} import (?:\(|\*|\w+(?: as \w+)?(?:, ?\w+(?: as \w+)?)*\s*$)|"
    r"\s*import (?:[\w.]{1,80} as \w+|\{[^}\n]{1,80}\} from)|\s*func \w+\(|\s*fn \w+[(<]|"
    r"\s*for \w+(?:, ?\w+)? in [\w.]{1,80}[(\[]|\s*(?:if|elif|while) [\w.]{1,80} (?:[=!<>]=|is not|not in) .{1,80}:\s*$|"
    r"\s*[{}\[\]()]{1,3}[;,]?\s*$|\s*\"[\w .$-]{1,60}\"\s*:\s*(?:[\"\d\[{-]|true|false|null)|"
    r"\s*\{\s*\"?[\w-]+\"?\s*:.{0,4000}\}\s*$|"
    r"\s*\[\s*\{.{0,4000}\}\s*\]\s*$|\s*</?(?:html|head|body|div|span|p|a|ul|ol|li|table|t[rdh]|h[1-6]|script|style|img|form|input|"
    r"button|svg|meta|link|section|template)\b[^<>\n]{0,200}>|\s*<(?:\?xml|!--|!DOCTYPE)|\w+(?:\([^)\n]{0,80}\))? => \{|"
    r".{0,200}\) ?\{\s*$|\s*(?:SELECT\b.{1,300}\bFROM|"
    r"INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE (?:TABLE|INDEX)|ALTER TABLE)\b"
)
_SOURCE = (
    r"(?:py|[cm]?[jt]sx?|c|cc|cpp|h|hpp|rs|go|java|kt|rb|php|cs|swift|scala|sh|lua|pl|sql|vue|html|css|ya?ml|json|toml|md|tex|"
    r"zig|exs?|hs|dart)"
)
_RAISED = r"(?:[a-z_][\w$]*\.)*[A-Z]\w*(?:Error|Exception|Panic|Interrupt)|(?:[a-z_]\w*\.)+[A-Z]\w*"
#: What a program told, unless its words speak of who says them.
_TOLD = regex(
    rf"\s*(?:E {{2,7}})?(?:(?:Uncaught|Unhandled)(?: exception:)? )?(?:{_RAISED}): |"
    rf"\s*(?:E {{2,7}})?\w*(?:Error|Exception):?\s*$|"
    rf"[\w./\\-]{{1,200}}\.{_SOURCE}:\d+(?::\d+)?(?:: |:?\s*$)|{_STAMP}:\d\d|error\[E\d+\]|(?:\w+: )?\*\*\* \[|"
    r"make(?:\[\d+\])?: (?:\*\*\*|Entering|Leaving|Nothing)|(?:FAILED|PASSED|FAIL|PASS|ERROR) \S*(?:::|/)\S|={3,} .* ={3,}\s*$|"
    r"E {3,7}\S|\s*\^[~^]*\s*$|Segmentation fault\b|(?:command |process )?(?:exited with|exit) (?:status|code)\W{1,2}\d+\s*$|"
    r"Process finished with exit code|\d+ (?:passed|failed)\b.{0,60} in [\d.]+s\b|fatal: [a-z]|"
    r"(?:bash|zsh|sh): .{1,200}: (?:command not found|No such file|Permission denied)"
)
_COMMAND = (
    r"(?:[./~]|(?:git|python\d?|pip\d?|uv|npm|npx|yarn|pnpm|node|cargo|go|make|cmake|docker|kubectl|ls|cd|cat|echo|curl|wget|ssh|sudo|"
    r"apt|brew|rm|cp|mv|mkdir|grep|find|ps|tail|head|java|mvn|gradle|dotnet|ruby|gem|bundle|php|systemctl|journalctl|export|source|"
    r"psql|mysql|sqlite3|terraform|aws|gcloud|pytest|tox|ruff|mypy)(?:\s|$))"
)
#: Of these the lines behind go with it: what was answered to a command, the rows of a table, the lines of a trace.
_OPENS = regex(
    rf"\s*[$❯➜] {_COMMAND}|"
    r"\s*[\w.-]{1,60}@[\w.-]{1,60}[: ]\S{0,80}[$#](?: |$)|>>> |PS [A-Z]:\\|[A-Z]:\\[^<>\n]{0,80}> ?\w|"
    r"(?:sqlite|mysql|mongo|redis|\w{1,30}=[#>])> ?\w|In \[\d+\]: |"
    r"(?=.*[A-Z]\s{2,}[A-Z])\s*(?:[A-Z][A-Z%()/_]{0,20}\s+){2,}[A-Z]{2,}\s*$|"
    r"goroutine \d+ \[|thread '[^'\n]{0,80}' (?:\(\d+\) )?panicked at\b"
)
_DIFF = regex(r"diff --git |@@ -\d+(?:,\d+)? \+\d+|(?:---|\+\+\+) [ab]/\S")
_CHANGED = regex(r"[+\- ]")
_LIKE_CODE = regex(
    r"\s{2,}\S|\s*(?:if|for|while|with|elif|else|try|except|finally|switch|case)\b.{0,120}[:{]\s*$|\s*import \w+;?\s*$|"
    r"\s*[\w.\[\]'\"]{1,80} ?[+-]?= ?\S|\s*[\w.]{1,80}\([^)\n]{0,120}\);?\s*$|\s*return\b|\s*(?://|#|/\*|\*/|--) ?|"
    r".{0,200}[;{}]\s*$|@\w+"
)
_LIKE_LOG = regex(rf"\[{_LEVEL}\]|{_LEVEL}\b[: ]")
_SPEAKS = regex(
    r"(?<![\w'\"./-])(?:i|i'm|i've|i'd|we|we're|we've|my|our|ich|wir|meine?|unsere?|je|nous|notre|yo|nosotros)(?![\w'\"./-])",
    re.IGNORECASE,
)


def printed(lines: Sequence[str]) -> frozenset[int]:
    """The places in ``lines`` of those that a program printed. A trace that begins in the middle of a line is not among them:
    ``TRACE`` finds it."""
    found: set[int] = set()
    block = _NO_BLOCK
    for place, line in enumerate(lines):
        plainly = _plainly(line)
        block = _block(line, block, plainly)
        if plainly or block is not _NO_BLOCK or (place - 1 in found and _goes_on(lines[place - 1], line)):
            found.add(place)
        elif place and _LIKE_LOG.match(line) and (place - 1 in found or _LIKE_LOG.match(lines[place - 1])):
            found.update((place - 1, place))
    return frozenset(_with_code_above(lines, found))


def speaks(words: str) -> bool:
    """Whether ``words`` speak of who says them, as a program seldom does."""
    return _SPEAKS.search(words.replace("’", "'")) is not None


def _plainly(line: str) -> bool:
    if any(pattern.match(line) for pattern in (TRACE, _FRAME, _LOG, _CODE, _DIFF)):
        return True
    return (_TOLD.match(line) or _OPENS.match(line)) is not None and not speaks(line)


_NO_BLOCK, _OUTPUT, _DIFFERENCE = range(3)


def _block(line: str, block: int, plainly: bool) -> int:
    """The block that ``line`` opens, or goes on with."""
    if not line.strip():
        return _NO_BLOCK
    if plainly and (_DIFF.match(line) or _OPENS.match(line)):
        return _DIFFERENCE if _DIFF.match(line) else _OUTPUT
    if block == _DIFFERENCE:
        return block if _CHANGED.match(line) else _NO_BLOCK
    return block if plainly or not speaks(line) else _NO_BLOCK


def _goes_on(before: str, line: str) -> bool:
    """Whether a line goes on with the printed one before it: the source under a frame, or more code."""
    if not line.strip():
        return False
    return (line[:1] in " \t" and _FRAME.match(before) is not None) or (_code(before) and _code(line))


def _with_code_above(lines: Sequence[str], found: set[int]) -> set[int]:
    """With the lines above that are code, since what stands under them plainly is."""
    for place in range(len(lines) - 2, -1, -1):
        if place + 1 in found and _LIKE_CODE.match(lines[place]) and _code(lines[place + 1]):
            found.add(place)
    return found


def _code(line: str) -> bool:
    return _CODE.match(line) is not None or _LIKE_CODE.match(line) is not None
