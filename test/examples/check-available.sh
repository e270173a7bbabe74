#!/bin/sh
# Fails when fewer than MIN animals are available. For monitoring: one line, and 0 when there are enough,
# 1 when there are too few, 3 when the service can't be asked (UNKNOWN, for Nagios and similar tools).
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

# No more than MIN need to be seen, and a check is not to wait for long.
code=0
ids=$(pets list --status available --limit "$min" -o tsv --fields id \
  --quiet --timeout 10s --max-wait 20s) || code=$?
case $code in
  0) ;;
  4) unknown "no key, or one that the service refuses" ;;
  5) unknown "the key's limit is used up" ;;
  6) unknown "the service can't be reached" ;;
  *) unknown "pets exited with $code" ;;
esac

found=$(($(printf '%s\n' "$ids" | wc -l) - 1)) # less the header
if [ "$found" -lt "$min" ]; then
  echo "TOO FEW: $found available, at least $min wanted"
  exit 1
fi
echo "OK: at least $min available"
