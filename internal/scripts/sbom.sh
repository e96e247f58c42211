#!/bin/sh
# Writes the parts of a Go program as a CycloneDX 1.5 document: sbom.sh PROGRAM DOCUMENT. Go records the modules in
# the program itself.
set -eu
program=${1:?program}
document=${2:?document}
go version -m "$program" | awk '
	function component(kind, path, version) {
		return sprintf("{\"type\": \"%s\", \"name\": \"%s\", \"version\": \"%s\", \"purl\": \"pkg:golang/%s@%s\"}", kind, path, version, path, version)
	}
	$1 == "mod" { main = component("application", $2, $3) }
	$1 == "dep" { parts = parts (parts == "" ? "" : ",\n    ") component("library", $2, $3); count++ }
	NR == 1 { go = $NF }
	END {
		if (main == "" || count == 0) exit 1
		printf "{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,\n"
		printf "  \"metadata\": {\"component\": %s},\n", main
		printf "  \"components\": [\n    %s,\n    %s\n  ]\n}\n", component("library", "std", substr(go, 3)), parts
	}' > "$document"
