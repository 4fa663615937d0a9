#!/bin/sh
# Which versions of all packages was this tested with?  Usage: lock-versions.sh PYTHON > constraints.txt
set -eu
python=$1
cat <<'HEADER'
# The versions that the tests were run with. pip takes them as limits: it installs none of them by itself.
# Made by `make lock` from what .venv holds. To move to newer versions: .venv/bin/pip install -U PACKAGE, make lock, make test.
HEADER
frozen=$("$python" -m pip freeze --disable-pip-version-check --exclude-editable 2>/dev/null)
# Builds of torch differ by machine (+cpu, +cu…); the version is the same.
# The pipeline of spaCy is pinned by its hashes in tests/spacy-model.txt.
{ echo "$frozen" | grep -v -e '^torch==' -e '^en_core_web_sm' ; echo "torch==2.13.0"; } | LC_ALL=C sort -f
