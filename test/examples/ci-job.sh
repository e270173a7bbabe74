#!/bin/sh
# A CI job with its own store: 30 animals, rate limits and faults. The store is gone when the job ends.
#
#   ./ci-job.sh
#
# Faults depend on --fault-seed: the same number reproduces a failing run.
set -eu

if [ -z "${CI_JOB_STORE:-}" ]; then
  CI_JOB_STORE=1 exec pets serve --seed 30 --plan 300/min,10000/day \
    --fault 429:0.1,500:0.2 --fault-seed "${FAULT_SEED:-1}" -- sh "$0"
fi

fail() {
  echo "ci-job: $*" >&2
  exit 1
}

# Prints how many animals have this status and name.
count() {
  names=$(pets list --status "$1" --limit 100 --quiet -o tsv --fields name) || return
  printf '%s\n' "$names" | sed 1d | grep -Fxc -e "$2" || [ "$?" -eq 1 ]
}

# Adds an animal once, even if a response is lost: if the outcome is unknown, it searches first.
add_once() {
  until pets add --name "$1" --category 7 --status pending --quiet >/dev/null; do
    [ "$?" -eq 8 ] || fail "$1 could not be added"
    found=$(count pending "$1") || fail "$1 cannot be looked up"
    [ "$found" -eq 0 ] || break
  done
}

for name in Rex Bella Luna; do
  add_once "$name"
  found=$(count pending "$name") || fail "$name cannot be looked up"
  [ "$found" -eq 1 ] || fail "$name is there $found times, not once"
done

code=0
pets add --name Rex --category seven 2>/dev/null || code=$?
[ "$code" -eq 2 ] || fail "a wrong category ended with $code, not with 2"

echo "ci-job: passed"
