#!/usr/bin/env bash
# Two guests play a whole game of remik, with nothing but curl, and Python to read the JSON.
#   examples/curl/first_game.sh [URL]
set -euo pipefail
api="${1:-http://127.0.0.1:8080}/v1"

# The answer's value of a Python expression over `it`, one line for each item of a list.
read_json() {
  python3 -c '
import json, sys
it = json.load(sys.stdin)
value = eval(sys.argv[1].strip())
print(*value if isinstance(value, list) else [value], sep="\n")' "$1"
}

# Sends a body, or asks where there is none. A call that gets no answer, or is asked to come again later, is sent once
# more as it is: its requestId sees to it that it counts once. A refusal is shown, and ends the script.
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
call() { # TOKEN METHOD PATH [BODY]
  local status
  status=$(curl -sS -o "$answer" -w '%{http_code}' --retry 8 --retry-all-errors -X "$2" "$api/$3" \
    -H "authorization: Bearer $1" -H 'accept-language: pl' -H 'content-type: application/json' ${4:+-d "$4"})
  [[ $status == 2* ]] || { echo "$2 $3: $status: $(cat "$answer")" >&2; exit 1; }
  cat "$answer"
}
id() { cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen; }

# 1. Two guests: one call gives a player and a token, which is told this once.
ala=$(call "" POST guests '{"displayName": "Ala"}' | read_json 'it["token"]')
ola=$(call "" POST guests '{"displayName": "Ola"}' | read_json 'it["token"]')
tokens=("$ala" "$ola")

# 2. Ala opens a table for two, for one deal, and takes its first seat. Ola joins.
rules='"preset": "remik-51", "seats": 2, "overrides": {"end": {"deals": 1}, "turnsPerSeat": 10}'
game=$(call "$ala" POST games "{\"requestId\": \"$(id)\", $rules}" | read_json 'it["view"]["gameId"]')
call "$ola" POST "games/$game:join" "{\"requestId\": \"$(id)\"}" > /dev/null

# 3. Both are ready, each with a seed for the shuffle, and the cards are dealt.
for token in "${tokens[@]}"; do
  view=$(call "$token" POST "games/$game:ready" "{\"requestId\": \"$(id)\", \"clientSeed\": \"00ff17\"}")
done

# 4. Until somebody has won, whose turn it is draws, lays the best melds if they may be laid, and discards a card.
whose_turn='it["view"]["deal"]["turn"]["seat"] if it["view"]["state"] == "GAME_STATE_PLAYING" else ""'
while seat=$(read_json "$whose_turn" <<< "$view"); [ -n "$seat" ]; do
  token=${tokens[$seat]}
  call "$token" POST "games/$game:draw" "{\"requestId\": \"$(id)\", \"source\": \"DRAW_SOURCE_STOCK\"}" > /dev/null
  melds=$(call "$token" GET "games/$game/suggestions" | read_json '
    json.dumps([one["meld"] for one in it["suggestions"]["melds"]]) if it["suggestions"]["playable"] else ""')
  if [ -n "$melds" ]; then
    echo "seat $seat lays $melds"
    call "$token" POST "games/$game:meld" "{\"requestId\": \"$(id)\", \"melds\": $melds}" > /dev/null
  fi
  card=$(call "$token" GET "games/$game/legalMoves" | read_json 'it["moves"]["discards"][-1]')
  echo "seat $seat discards $card"
  view=$(call "$token" POST "games/$game:discard" "{\"requestId\": \"$(id)\", \"card\": \"$card\"}")
done

# 5. The points of the deal, and the places.
echo "points: $(read_json 'json.dumps([seat["total"] for seat in it["view"]["seats"]])' <<< "$view")"
echo "places: $(read_json 'json.dumps(it["view"]["result"]["places"])' <<< "$view")"
echo "game: $game"
