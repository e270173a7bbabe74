#!/bin/sh
# Waits as long as a 429 asks, retries a GET after other failures, but never a POST.
ask() {
  while reply=$(curl -s -m 5 -o /dev/null -w '%{http_code} %header{retry-after}' \
    -H "Authorization: Bearer $PETS_API_KEY" -H "Content-Type: application/json" "$@" \
    "$PETS_BASE_URL/pets"); do
    case $reply in
      2*) return 0 ;;
      429*) sleep "${reply#* }" ;;
      *) return 1 ;;
    esac
  done
  return 1
}

for n in $(seq 8); do
  ask -d "{\"name\":\"n$n\",\"categoryId\":1}" || echo "n$n may have been added" >&2
  sleep 0.3
  until ask; do sleep 0.5; done
done
