#!/bin/sh
# Writes what a release has beside the program into build/release: completions, and the manifest
# of the MCP bundle. Its argument is the version.
set -eu
version=${1:?version}
out=build/release
rm -rf "$out"
mkdir -p "$out/completions"
CGO_ENABLED=0 go build -trimpath -o "$out/memctl" ./cmd/memctl
for shell in bash zsh fish; do
	"$out/memctl" completion "$shell" > "$out/completions/memctl.$shell"
done
rm "$out/memctl"
cat > "$out/manifest.json" <<END
{
  "manifest_version": "0.3",
  "name": "memctl",
  "version": "$version",
  "description": "Memory for coding agents, in your git repository",
  "author": { "name": "The memctl authors", "url": "https://github.com/memctl/memctl" },
  "license": "MIT",
  "server": {
    "type": "binary",
    "entry_point": "memctl",
    "mcp_config": {
      "command": "\${__dirname}/memctl",
      "args": ["mcp"],
      "platform_overrides": { "win32": { "command": "\${__dirname}/memctl.exe" } }
    }
  }
}
END
