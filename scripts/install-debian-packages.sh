#!/bin/sh
# Which Debian packages do the tests of browser and database need, and may we install those that are missing?
# Never fails: without them those tests are skipped, and say so. DEBIAN=no in the environment installs nothing.
set -u

missing=""
command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 \
    || command -v google-chrome >/dev/null 2>&1 || missing="chromium"
# Any font with Chinese will do, not only the one that we would install.
if ! fc-list :lang=zh 2>/dev/null | grep -q . && ! ls -d /usr/share/fonts/*/noto/Noto*CJK* >/dev/null 2>&1; then
    missing="$missing fonts-noto-cjk"
fi
# The server's programs are not on the path of Debian; the tests start a server of their own.
if ! command -v initdb >/dev/null 2>&1 && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    missing="$missing postgresql"
fi
missing=${missing# }
[ -n "$missing" ] || exit 0

if [ "${DEBIAN:-yes}" = no ]; then
    echo "Not installed, for DEBIAN=no: $missing. The tests of browser and database that need them are skipped."
    exit 0
fi

if ! command -v apt-get >/dev/null 2>&1; then
    echo "Missing for the tests of browser and database: $missing (no apt-get here to install them). Those tests may be skipped."
    exit 0
fi
if [ "$(id -u)" = 0 ]; then
    as_root="env"
elif sudo -n true >/dev/null 2>&1; then
    as_root="sudo -n env"
else
    echo "Missing for the tests of browser and database: $missing. To have them: sudo apt-get install $missing"
    exit 0
fi

echo "About to install Debian packages for the tests of browser and database: $missing. To do without: make test DEBIAN=no"
log=$(mktemp)
# $as_root and $missing are lists of words, so they stay unquoted.
if { $as_root apt-get update && $as_root DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } \
    >"$log" 2>&1; then
    rm -f "$log"
else
    echo "Could not install $missing; apt-get's own words are in $log. Those tests may be skipped."
fi
exit 0
