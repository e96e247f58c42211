#!/bin/sh
# A bot that talks to a model with memctl's system prompt and memory. Needs curl and jq.
# MODEL_URL is a server with OpenAI's API, such as http://127.0.0.1:11434/v1.
set -eu
user=${1:-me}
memctl context init -q --user "$user" 2>/dev/null
talk='[]'
while IFS= read -r line; do
	found=$(memctl recall -q "$line" 2>/dev/null || true)
	system=$(printf '%s' "$found" | memctl prompt -q --user "$user" --extra -)
	talk=$(printf '%s' "$talk" | jq -c --arg text "$line" '. + [{role: "user", content: $text}]')
	answer=$(printf '%s' "$talk" |
		jq -c --arg model "${MODEL:-default}" --arg system "$system" \
			'{model: $model, messages: ([{role: "system", content: $system}] + .)}' |
		curl -sS --fail-with-body -H 'Content-Type: application/json' \
			-H "Authorization: Bearer ${MODEL_KEY:-none}" -d @- "$MODEL_URL/chat/completions" |
		jq -r '.choices[0].message.content')
	talk=$(printf '%s' "$talk" | jq -c --arg text "$answer" '. + [{role: "assistant", content: $text}]')
	case $answer in
	NO_REPLY | HEARTBEAT_OK) ;;
	*) printf '%s\n' "$answer" ;;
	esac
done
