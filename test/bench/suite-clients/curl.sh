#!/bin/sh
# curl with --retry: it waits for Retry-After, and sends a POST again as well.
set -e
ask() { curl -sf --retry 3 --max-time 2 -H "Authorization: Bearer $PETS_API_KEY" "$PETS_BASE_URL/pets" "$@"; }
ask -H "Content-Type: application/json" -d '{"name":"Rex","categoryId":1}'
ask
ask
