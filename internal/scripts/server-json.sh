#!/bin/sh
# Prints server.json, with which the MCP registry lists memctl: server-json.sh VERSION CHECKSUMS, after
# `goreleaser release` has written the bundles and their checksums (dist/checksums.txt).
set -eu
version=${1:?version}
checksums=${2:?file with the checksums}
cat <<END
{
  "\$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  "name": "io.github.memctl/memctl",
  "title": "memctl",
  "description": "Memory for coding agents, in your git repository: recall, remember, review",
  "version": "$version",
  "repository": { "url": "https://github.com/memctl/memctl", "source": "github" },
  "packages": [
END
comma=
count=0
while read -r sum file; do
	case $file in
	memctl_mcpb_*.zip)
		printf '%s    {\n' "$comma"
		printf '      "registryType": "mcpb",\n'
		printf '      "identifier": "https://github.com/memctl/memctl/releases/download/v%s/%s",\n' "$version" "$file"
		printf '      "fileSha256": "%s",\n' "$sum"
		printf '      "transport": { "type": "stdio" }\n    }'
		comma=',
'
		count=$((count + 1))
		;;
	esac
done < "$checksums"
printf '\n  ]\n}\n'
if [ "$count" -eq 0 ]; then
	echo "$checksums names no MCP bundle" >&2
	exit 1
fi
