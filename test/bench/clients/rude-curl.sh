#!/bin/sh
# Retries everything at once, until it succeeds.
ask() {
  until curl -sf -m 5 -o /dev/null -H "Authorization: Bearer $PETS_API_KEY" \
    -H "Content-Type: application/json" "$@" \
    "$PETS_BASE_URL/pets"; do
    sleep 0.1
  done
}

for n in $(seq 8); do
  ask -d "{\"name\":\"n$n\",\"categoryId\":1}"
  sleep 0.3
  ask
done
