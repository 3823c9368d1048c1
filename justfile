# `just` lists these. Everything runs in the environment that `pip install -e '.[dev]'` made.

data := env("ONRECORD_DATA", "../shared/data")

default:
    @just --list

# The tests, as CI runs them
test *args:
    pytest -n auto --maxschedchunk 16 {{args}}

# Lint, formatting, types and import contracts
check:
    ruff check .
    ruff format --check .
    mypy
    lint-imports

# Format and mend what can be mended
fix:
    ruff check --fix .
    ruff format .

# The demo: what is kept, refused, corrected and recalled
demo:
    onrecord demo

# Search speed: one subject of 1,000 records among 100,000; with `--large FILE` one of a million as well
bench-search *args:
    python -m bench.search {{args}}

# The embedders and the reranker side by side: quality, time, memory (needs onrecord[wordllama] and `onrecord model nomic`)
bench-tiers *args:
    python -m bench.tiers {{data}} {{args}}

# A small language model on this machine: fetched once (1.1 GB), then served; needs `pip install 'xllamacpp>=2026.10'`
local-model port="8080":
    python -m tools.local_model get
    python -m tools.local_model serve --port {{port}}

# What a model that reads finds beside the rules, and what it costs: with `just local-model` running elsewhere
bench-reading *args:
    python -m bench.reading {{data}}/keepsakes --reader "http://127.0.0.1:8080/v1#qwen" {{args}}

# What a model that lies gets past the gate, over every conversation of keepsakes; leaves with 1 if it is too much
bench-lies *args:
    python -m bench.lies {{data}}/keepsakes {{args}}

# The cost of reading a turn without a model beside that of embedding it
bench-capture *args:
    python -m bench.capture {{args}}

# Processor time of a turn taken in and of a search, over LoCoMo as bench-peers runs it
bench-intake *args:
    python -m bench.intake {{data}} {{args}}

# Three writers on one file, killed at random for a minute
bench-crash *args:
    python -m bench.crash --seconds 60 {{args}}

# Five hundred kills at random points: no turn lost, doubled or out of order
bench-kills *args:
    python -m bench.crash --kills 500 --pause 0.4 {{args}}

# Eight MCP servers and a REST server on one file, 200 writes each, one killed
bench-processes *args:
    python -m bench.processes --servers 8 --each 200 {{args}}

# 64 clients against a server for two minutes: errors, times, memory, and how late its event loop came
bench-load *args:
    python -m bench.load --clients 64 --seconds 120 {{args}}

# The time to --help and to the first MCP answer, beside a bare `python -c pass`
bench-start *args:
    python -m bench.start {{args}}

# Schemathesis over a running server: every check and phase, many examples
fuzz-rest *args:
    python -m bench.fuzz --examples 100 {{args}}

# What the MCP inspector (npm, @modelcontextprotocol/inspector) finds over both transports
inspect-mcp *args:
    python -m bench.inspector {{args}}

# Stale facts, silent contradictions, lost negations, crossings, deleted text, injections, junk and orphaned calls: every peer
bench-trust *args:
    python -m bench.trust --out bench/peers/results/trust.json {{args}}

# Random plant-and-erase rounds, each proved; then the file is searched for what was planted
bench-erase *args:
    python -m bench.erase --rounds 10000 {{args}}

# What survives compaction, and of the baselines; rewrites docs/benchmarks-compaction.md
eval-compaction:
    onrecord eval compaction {{data}} --write docs/benchmarks-compaction.md

# Retrieval and write quality on the public sets; rewrites the tables of docs/benchmarks.md
eval:
    onrecord eval locomo {{data}}/locomo/locomo10.json.gz --write docs/benchmarks.md
    onrecord eval longmemeval {{data}}/longmemeval_dev --write docs/benchmarks.md
    onrecord eval beam {{data}}/beam_100k --write docs/benchmarks.md
    onrecord eval keepsakes {{data}}/keepsakes --write docs/benchmarks.md
    onrecord eval pairs {{data}}/components --write docs/benchmarks.md
    onrecord eval injection {{data}}/components --write docs/benchmarks.md
    onrecord eval msc {{data}}/msc/valid_with_facts.jsonl.gz --write docs/benchmarks.md
    onrecord eval followups bench/followups --write docs/benchmarks.md

# False facts, look-alike owners and erasures, in rounds from a seed; rewrites their tables of docs/benchmarks.md
eval-trust *args:
    onrecord eval poison --rounds 200 --write docs/benchmarks.md {{args}}
    onrecord eval isolation --rounds 8 --write docs/benchmarks.md {{args}}
    onrecord eval erasure --rounds 60 --write docs/benchmarks.md {{args}}

# What of the evidence stands in a context, and what a conversation takes; rewrites the tables of docs/benchmarks-context.md
eval-context *args:
    onrecord eval context {{data}} --write docs/benchmarks-context.md {{args}}

# Two simulated years for twenty seeds: what time does to a memory
bench-simulate *args:
    python -m bench.simulate --seeds 20 {{args}}

# Precision on 5,000 records with near-duplicates before and after consolidation; then the probes of keepsakes
bench-consolidate *args:
    python -m bench.consolidate {{args}}
    python -m bench.consolidate --keepsakes {{data}}/keepsakes/scenarios --embedder minilm

# Other memories over the same part of the public sets; first `python -m bench.peers.install`
bench-peers *args:
    python -m bench.peers.run {{data}} {{args}}

# Writes docs/benchmarks-peers.md and the README's table from bench/peers/results/
bench-report:
    python -m bench.peers.report
