#!/bin/sh
# Runs one command per request.
for n in $(seq 8); do
  pets add --name "n$n" --category 1 --quiet >/dev/null
  sleep 0.3
  pets list --quiet --json >/dev/null
done
