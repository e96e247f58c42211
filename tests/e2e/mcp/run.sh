#!/bin/sh
# Runs memctl's MCP server under two clients that are not ours: the MCP
# Inspector's command line and the TypeScript SDK. It takes Node.js and npm,
# and installs both packages into a scratch folder. `make test` does not run it.
#
#   sh tests/e2e/mcp/run.sh [MEMCTL] [FOLDER WITH node_modules]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
memctl=${1:-$here/../../../bin/memctl}
memctl=$(cd "$(dirname "$memctl")" && pwd)/$(basename "$memctl")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
modules=${2:-$scratch/npm}
if [ ! -d "$modules/node_modules/@modelcontextprotocol/sdk" ]; then
	mkdir -p "$modules"
	(cd "$modules" && npm init -y >/dev/null && npm install --no-audit --no-fund --silent @modelcontextprotocol/sdk @modelcontextprotocol/inspector)
fi
for package in sdk inspector; do
	node -p "'$package ' + require('$modules/node_modules/@modelcontextprotocol/$package/package.json').version"
done

export HOME="$scratch/home" XDG_DATA_HOME="$scratch/home/data" GIT_CONFIG_NOSYSTEM=1
unset MEMCTL_STORE MEMCTL_ORIGIN MEMCTL_NOW CLAUDECODE || true
mkdir -p "$HOME" "$scratch/work"
git config --global user.name Ada
git config --global user.email ada@example.com
cd "$scratch/work"
git init -q
"$memctl" init --quiet
"$memctl" add --quiet writing.tone "concise, no filler"

inspect() { # what it must print, then the Inspector's arguments
	want=$1
	shift
	if ! out=$("$modules/node_modules/.bin/mcp-inspector" --cli "$memctl" mcp --resources "$@" 2>&1); then
		printf 'FAILED inspector %s\n%s\n' "$*" "$out"
		exit 1
	fi
	case $out in
	*"$want"*) printf 'ok inspector %s\n' "$*" ;;
	*)
		printf 'FAILED inspector %s: no %s in\n%s\n' "$*" "$want" "$out"
		exit 1
		;;
	esac
}
inspect '"name": "remember"' --method tools/list
inspect 'concise, no filler' --method tools/call --tool-name list
inspect 'stored as build.tool (project); it waits for confirmation' --method tools/call --tool-name remember --tool-arg key=build.tool --tool-arg 'value=use make for every step'
inspect 'use make for every step' --method tools/call --tool-name recall --tool-arg 'query=make step'
inspect 'memctl://bootstrap' --method resources/list
inspect 'concise, no filler' --method resources/read --uri memctl://bootstrap
inspect 'memctl://bootstrap/{project}' --method resources/templates/list

cp "$here/client.mjs" "$modules/memctl-client.mjs"
node "$modules/memctl-client.mjs" "$memctl" "$scratch/work"
