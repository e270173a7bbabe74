#!/bin/sh
# Adds an animal for each line that it reads, and prints the new ids.
#
#   ./add-names.sh CATEGORY [FILE]        (without a FILE: standard input)
#
# Several may run in parallel: every `pets` on this machine respects the limits of the key.
# For a file that must be completed in any case, use `pets add --from FILE`: it checks all rows first,
# sends several at a time, and continues after an interruption.
#
# Exits with 0 if all were added, with 9 if it reached the end but some were not, and with the
# code of `pets` if there was no point in continuing: 5 (rate limited: the line on standard error says
# when to try again), 4 (the key), 6 (the network), 7 (the service), 130 (Ctrl-C).
set -eu

if [ "$#" -lt 1 ] || [ "$#" -gt 2 ]; then
  echo "usage: add-names.sh CATEGORY [FILE]" >&2
  exit 2
fi
category=$1
[ "$#" -lt 2 ] || exec <"$2"

cr=$(printf '\r')
added=0 refused=0 unknown=0 name=''
trap 'echo "$added added, $refused refused, $unknown unknown${name:+; stopped at: $name}" >&2' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

while IFS= read -r name || [ -n "$name" ]; do
  name=${name%"$cr"} # lines of other systems end with it
  [ -n "$name" ] || continue
  code=0
  # "--name=" accepts names that begin with a dash; `pets` must not read the remaining names.
  pets add --name="$name" --category="$category" --max-wait=3m --quiet </dev/null || code=$?
  case $code in
    0) added=$((added + 1)) ;;
    2) refused=$((refused + 1)) ;; # why is on standard error
    8)
      # It may have been added: look for it (`pets list`) before you add it again.
      unknown=$((unknown + 1))
      printf 'unknown: %s\n' "$name" >&2
      ;;
    *) exit "$code" ;; # the next one would fail too
  esac
done

[ "$((refused + unknown))" -eq 0 ] || exit 9
