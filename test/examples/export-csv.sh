#!/bin/sh
# Exports the animals of every status to one CSV file. For cron: prints nothing unless something fails.
#
#   ./export-csv.sh FILE        0 3 * * *  PETS_PROFILE=shop /usr/local/bin/export-csv.sh /srv/animals.csv
#
# Cron searches few directories for programs: PATH=/usr/local/bin:/usr/bin:/bin, on a separate line in the
# crontab, adds those of `pets` and Node.
#
# FILE is replaced in one step at the end. If anything fails it is not changed, and the exit
# code is that of `pets`; 5 means that the key's limit is used up: try again the next night.
# The service lists at most 100 of a status; a note says if there may be more. An animal without a
# status is in none of these lists, and so not in FILE.
set -eu

if [ "$#" -ne 1 ] || { [ -e "$1" ] && [ ! -f "$1" ]; }; then
  echo "usage: export-csv.sh FILE" >&2
  exit 2
fi
file=$1

# Next to FILE: a move is atomic only within one file system.
work=$(mktemp -d "$file.XXXXXX")
cleanup() {
  code=$?
  rm -rf -- "$work"
  [ "$code" -eq 0 ] || echo "export-csv: $file was left as it was" >&2
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

for status in available pending sold; do
  pets list --status "$status" --limit 100 --quiet -o csv >"$work/$status"
  [ -s "$work/all" ] || head -n 1 "$work/$status" >"$work/all"
  tail -n +2 "$work/$status" >>"$work/all"
  if [ "$(wc -l <"$work/$status")" -gt 100 ]; then
    echo "export-csv: 100 animals are $status, and there may be more" >&2
  fi
done

mv -f -- "$work/all" "$file"
