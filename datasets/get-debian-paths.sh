#!/bin/sh
# Prints path TAB section/package[,section/package...] of every file in the Debian packages that apt knows of, one a
# line, from the Contents indexes that apt keeps:
#
#   apt-get install apt-file && apt-file update
#   datasets/get-debian-paths.sh | gzip > datasets/debian-paths.tsv.gz
#
# Files given as arguments are read instead: Contents indexes, packed in any way that apt knows.
set -eu

fail() {
    echo "get-debian-paths: $*" >&2
    exit 1
}

helper=${APT_HELPER:-/usr/lib/apt/apt-helper}
[ -x "$helper" ] || fail "$helper is not there; it belongs to Debian's apt 1.1 or later"

if [ $# -eq 0 ]; then
    list=$(apt-get indextargets --format '$(FILENAME)' 'Created-By: Contents-deb') || fail "apt-get indextargets failed"
    [ -n "$list" ] || fail "apt has no Contents index; apt-get install apt-file && apt-file update"
    IFS='
'
    set -f
    # shellcheck disable=SC2086 # one file a line
    set -- $list
fi
for file in "$@"; do
    [ -r "$file" ] || fail "cannot read $file"
done

# A path may hold spaces; the packages are what follows the last run of them.
exec 4>&1
code=$({
    { "$helper" cat-file "$@" || echo failed >&3; } | LC_ALL=C awk '
        match($0, /[ \t]+[^ \t]+$/) && RSTART > 1 {
            packages = substr($0, RSTART)
            sub(/^[ \t]+/, "", packages)
            print substr($0, 1, RSTART - 1) "\t" packages
        }' >&4
} 3>&1)
[ -z "$code" ] || fail "an index cannot be read to its end"
