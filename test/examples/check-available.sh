#!/bin/sh
# Fails if fewer than MIN animals are available. For monitoring: one line, and 0 if there are enough,
# 1 if there are too few, 3 if the service cannot be asked (UNKNOWN, for Nagios and similar tools).
#
#   ./check-available.sh MIN        MIN is 1 to 100: the service lists no more
set -eu

unknown() {
  echo "UNKNOWN: $*"
  exit 3
}

case $#,${1:-} in
  1,[1-9] | 1,[1-9][0-9] | 1,100) min=$1 ;;
  *) unknown "usage: check-available.sh MIN, a whole number from 1 to 100" ;;
esac

# No more than MIN are needed, and a check must not wait long.
code=0
ids=$(pets list --status available --limit "$min" -o tsv --fields id \
  --quiet --timeout 10s --max-wait 20s) || code=$?
case $code in
  0) ;;
  4) unknown "no key, or one that the service refuses" ;;
  5) unknown "the key's limit is used up" ;;
  6) unknown "the service cannot be reached" ;;
  *) unknown "pets exited with $code" ;;
esac

found=$(($(printf '%s\n' "$ids" | wc -l) - 1)) # less the header
if [ "$found" -lt "$min" ]; then
  echo "TOO FEW: $found available, at least $min wanted"
  exit 1
fi
echo "OK: at least $min available"
