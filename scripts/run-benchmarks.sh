#!/bin/sh
# How quick are we beside our peers?  Runs every benchmark, one after the other.  Usage: run-benchmarks.sh PYTHON
set -u
python=$1
failed=""
for file in benchmarks/*.py; do
    grep -qs '__main__' "$file" || continue
    name=$(basename "$file" .py)
    case $name in lm_*) continue ;; esac # parts of lm, which runs them
    echo "== $name"
    "$python" -m "benchmarks.$name" || failed="$failed $name"
done
[ -z "$failed" ] || { echo "Failed:$failed" >&2; exit 1; }
