#!/bin/sh
# The command line of the package `mailproof`: compiled JavaScript on the Node of this machine. It never changes
# directory; `exec` hands signals and the exit code straight through.
set -eu

self=$0
while [ -h "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=$(dirname -- "$self")/$target ;;
  esac
done
root=$(CDPATH='' cd -P -- "$(dirname -- "$self")/.." && pwd)

command -v node >/dev/null 2>&1 || {
  echo 'mailproof: Node was not found. Install Node 24 or later (https://nodejs.org).' >&2
  exit 3
}
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 24 ] || {
  echo "mailproof: This is Node $major. Install Node 24 or later (https://nodejs.org)." >&2
  exit 3
}
# The heap is bounded: see docs/operations.md, "Install".
heap='--max-semi-space-size=16 --max-old-space-size=1536'
# A prober answers nobody who would notice a pause, and should fit on the smallest machine.
if [ "${1-}" = prober ]; then
  heap='--max-semi-space-size=2 --max-old-space-size=512'
fi
# A list is over in seconds or minutes: not to look through a heap that is still small takes a tenth off its processor time.
if [ "${1-}" = verify ]; then
  heap="$heap --initial-heap-size=100"
fi
# shellcheck disable=SC2086 # several flags
exec node --disable-warning=ExperimentalWarning $heap "$root/cli/src/main.js" "$@"
