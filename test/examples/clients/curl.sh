#!/usr/bin/env bash
# Adds 100 animals and lists all: bash curl.sh http://127.0.0.1:3000 KEY
set -euo pipefail
base=$1 key=$2
category=9007199254740993
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# Repeats a request that fails because of a restart, a rate limit or a lost response, for 60 seconds, and never sooner
# than the service says.
call() {
  local expected=$1 status; shift
  for _ in {1..30}; do
    status=$(curl --silent --retry 60 --retry-all-errors --retry-delay 1 --retry-max-time 60 --max-time 10 \
      --header "Authorization: Bearer $key" --output "$folder/body" --dump-header "$folder/headers" --write-out '%{http_code}' "$@") || true
    [ "$status" != "$expected" ] || return 0
    # Another attempt with this idempotency key has not ended.
    [ "$status" = 409 ] || { echo "the service answered $status: $(cat "$folder/body")" >&2; exit 1; }
    sleep 1
  done
  exit 1
}

run=$(date +%s%N)-$$
for number in {1..100}; do
  call 201 "$base/v1/pets" --header 'Content-Type: application/json' --header "Idempotency-Key: \"$run-$number\"" \
    --data "{\"name\":\"animal $number\",\"categoryId\":$category}"
done

count=0 page='?limit=100'
while [ -n "$page" ]; do
  call 200 "$base/v1/pets$page"
  count=$((count + $(grep -o "\"categoryId\":$category" "$folder/body" | wc -l)))
  page=$(sed -n 's/^[Ll]ink: <\([^>]*\)>; rel="next".*/\1/p' "$folder/headers")
done
echo "$count"
