#!/bin/sh
# Installs what is missing: the packages of package-lock.json, Node 24 among them. Needs Node 20 or later
# and npm. ./mailproof, npm start and npm test call it each time, so it is quick when there is nothing to
# do. It writes to stderr only: stdout belongs to the command that follows.
set -eu

root=$(CDPATH='' cd -P -- "$(dirname -- "$0")/.." && pwd)
cd "$root"

installed_lock=node_modules/.package-lock.json
# A copy of the package-lock.json that was installed. Switching branches back and forth makes the file
# newer without changing it.
copied_lock=node_modules/.installed-package-lock.json
lock=.cache/installing
lock_wait_s=900

say() { printf 'mailproof: %s\n' "$1" >&2; }
fail() { say "$1"; exit 3; }

is_installed() {
  [ -x node_modules/.bin/node ] && [ -e "$installed_lock" ] || return 1
  [ package-lock.json -nt "$installed_lock" ] || return 0
  cmp -s package-lock.json "$copied_lock"
}

check_tools() {
  command -v node >/dev/null 2>&1 || fail 'Node was not found. Install Node 20 or later with npm (https://nodejs.org).'
  major=$(node -p 'process.versions.node.split(".")[0]') || fail 'Node does not run. Install Node 20 or later with npm (https://nodejs.org).'
  [ "$major" -ge 20 ] || fail "This is Node $major. Mailproof needs Node 20 or later to install itself (https://nodejs.org)."
  command -v npm >/dev/null 2>&1 || fail 'npm was not found. It comes with Node (https://nodejs.org); on Debian, install the package npm.'
}

# One at a time: the lock is a symbolic link to the holder's process id, created atomically.
take_lock() {
  mkdir -p .cache 2>/dev/null || fail "Cannot write to $root, where the packages have to be installed."
  waited_s=0
  while ! ln -s "$$" "$lock" 2>/dev/null; do
    holder=$(readlink "$lock") || { [ -w .cache ] || fail "Cannot write to $root/.cache."; continue; }
    if ! kill -0 "$holder" 2>/dev/null; then take_over "$holder"; continue; fi
    [ "$waited_s" -ne 0 ] || say "Waiting for another installation (process $holder) …"
    [ "$waited_s" -lt "$lock_wait_s" ] || fail "Still waiting for process $holder. If it is not installing, remove $root/$lock."
    sleep 1
    waited_s=$((waited_s + 1))
  done
  trap 'rm -f "$lock"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}

# The holder died without releasing the lock. Of several processes that see this, one may remove it, and
# only while it is still the dead one's: another process may have taken the lock meanwhile.
take_over() {
  if ln -s "$$" "$lock.$1" 2>/dev/null; then
    [ "$(readlink "$lock")" != "$1" ] || rm -f "$lock"
    rm -f "$lock.$1"
  else
    sleep 1
  fi
}

# Links the pinned Node where npm scripts look for it. npm before version 11 leaves this link out.
link_node() {
  platform=$(node -p 'process.platform + "-" + process.arch')
  pinned=node-$platform/bin/node
  [ -x "node_modules/$pinned" ] || fail "npm installed no Node for $platform. Mailproof needs Linux on x86-64 or arm64."
  mkdir -p node_modules/.bin
  ln -sf "../$pinned" node_modules/.bin/node
}

# No package may run a script of its own at installation. Node is a package like the others: package-lock.json holds its
# hash, and npm refuses another file. Development and optional packages come too, whatever NODE_ENV says.
install() {
  say 'Installing missing packages (only once, about 30 seconds) …'
  npm ci --ignore-scripts --include=dev --include=optional --no-audit --no-fund --loglevel=error >/dev/null ||
    fail 'npm ci failed, see above. Fix the cause, then run the same command again.'
  link_node
  cp package-lock.json "$copied_lock"
}

is_installed && exit 0
check_tools
take_lock
is_installed || install
