#!/bin/sh
# Installs what is missing: the packages of package-lock.json, Node 24 among them. Needs Node 20 or later
# and npm. Called by ./mailproof, npm start and npm test each time, so the way through it when there is
# nothing to do is short. Says what it does on stderr only: stdout belongs to the command that follows.
set -eu

root=$(CDPATH='' cd -P -- "$(dirname -- "$0")/.." && pwd)
cd "$root"

installed_lock=node_modules/.package-lock.json
# A copy of the package-lock.json that was installed. Switching branches back and forth makes the file
# newer without changing it.
copied_lock=node_modules/.installed-package-lock.json
turn=.cache/installing
turn_wait_s=900

say() { printf 'mailproof: %s\n' "$1" >&2; }
fail() { say "$1"; exit 3; }

is_installed() {
  [ -x node_modules/.bin/node ] && [ -e "$installed_lock" ] || return 1
  [ package-lock.json -nt "$installed_lock" ] || return 0
  cmp -s package-lock.json "$copied_lock"
}

check_tools() {
  command -v node >/dev/null 2>&1 || fail 'node was not found; install Node 20 or later with npm (https://nodejs.org)'
  major=$(node -p 'process.versions.node.split(".")[0]') || fail 'node does not run; install Node 20 or later with npm (https://nodejs.org)'
  [ "$major" -ge 20 ] || fail "this is Node $major; Mailproof needs Node 20 or later to install itself (https://nodejs.org)"
  command -v npm >/dev/null 2>&1 || fail 'npm was not found; it comes with Node (https://nodejs.org), on Debian in the package npm'
}

# One at a time: the turn is a symbolic link to the holder's process id, made in one step.
take_turn() {
  mkdir -p .cache 2>/dev/null || fail "cannot write in $root, where the packages have to be installed"
  waited_s=0
  while ! ln -s "$$" "$turn" 2>/dev/null; do
    holder=$(readlink "$turn") || { [ -w .cache ] || fail "cannot write in $root/.cache"; continue; }
    if ! kill -0 "$holder" 2>/dev/null; then take_over "$holder"; continue; fi
    [ "$waited_s" -ne 0 ] || say "waiting for another installation (process $holder) …"
    [ "$waited_s" -lt "$turn_wait_s" ] || fail "still waiting for process $holder; if it is not installing, remove $root/$turn"
    sleep 1
    waited_s=$((waited_s + 1))
  done
  trap 'rm -f "$turn"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}

# The holder died without giving the turn back. Of several who see this one may remove it, and only
# while it is still the dead one's: by then another may have taken a turn of its own.
take_over() {
  if ln -s "$$" "$turn.$1" 2>/dev/null; then
    [ "$(readlink "$turn")" != "$1" ] || rm -f "$turn"
    rm -f "$turn.$1"
  else
    sleep 1
  fi
}

# No package may run a script of its own at installation, except `node`, whose script fetches the binary.
# Development packages come too, whatever NODE_ENV says: the pinned Node is one of them.
install() {
  say 'installing what is missing (once, about half a minute) …'
  npm ci --ignore-scripts --include=dev --no-audit --no-fund --loglevel=error >/dev/null ||
    fail 'npm ci failed, see above; once its cause is gone, run the same command again'
  npm rebuild node --ignore-scripts=false --loglevel=error >/dev/null ||
    fail 'npm could not fetch Node 24, see above; once the cause is gone, run the same command again'
  [ -x node_modules/.bin/node ] || fail 'npm installed no node_modules/.bin/node; remove node_modules and run the same command again'
  cp package-lock.json "$copied_lock"
}

is_installed && exit 0
check_tools
take_turn
is_installed || install
