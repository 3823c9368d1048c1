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

# The cost of reading a turn without a model beside that of embedding it
bench-capture *args:
    python -m bench.capture {{args}}

# Three writers on one file, killed at random for a minute
bench-crash *args:
    python -m bench.crash --seconds 60 {{args}}

# Five hundred kills at random points: no turn lost, doubled or out of order
bench-kills *args:
    python -m bench.crash --kills 500 --pause 0.4 {{args}}

# Eight MCP servers and a REST server on one file, 200 writes each, one killed
bench-processes *args:
    python -m bench.processes --servers 8 --each 200 {{args}}

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
    onrecord eval context {{data}} --write docs/benchmarks.md

# Two simulated years for twenty seeds: what time does to a memory
bench-simulate *args:
    python -m bench.simulate --seeds 20 {{args}}

# Precision on 5,000 records with near-duplicates before and after consolidation; then the probes of keepsakes
bench-consolidate *args:
    python -m bench.consolidate {{args}}
    python -m bench.consolidate --keepsakes {{data}}/keepsakes/scenarios --embedder minilm
