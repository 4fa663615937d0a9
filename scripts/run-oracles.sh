#!/bin/sh
# What does R say?  Runs every tests/oracles/*.R and writes what it prints beside it as JSON; installs R when it may.
set -eu
cd "$(dirname "$0")/.."

packages="r-base-core r-cran-jsonlite r-cran-lme4 r-cran-lmertest r-cran-ordinal r-cran-car r-cran-mass r-cran-multcomp
    r-cran-coin r-cran-psych"
missing=""
for package in $packages; do
    dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
if [ -n "$missing" ] && command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing$missing"
    apt-get update -qq
    # $missing is a list of words, so it stays unquoted.
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
elif [ -n "$missing" ]; then
    echo "May be missing:$missing. On Debian: sudo apt-get install$missing" >&2
fi
command -v Rscript >/dev/null 2>&1 || { echo "There is no Rscript on the path." >&2; exit 1; }

for script in tests/oracles/*.R; do
    target="${script%.R}.json"
    echo "$script"
    Rscript "$script" >"$target.new"
    mv "$target.new" "$target"
done
