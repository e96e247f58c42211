#!/bin/sh
# Runs the tests of packages under wine: those of .ci/windows-packages, or those that are named. Needs wine 10, as Debian 13
# has it: wine 8 cannot start programs of Go 1.26. Without wine it says so and does nothing.
set -u
wine=${WINE:-wine}
version=$("$wine" --version 2>/dev/null | sed -n 's/^wine-\([0-9]*\).*/\1/p')
if [ "${version:-0}" -lt 10 ]; then
	echo "not run: wine 10 or newer is not installed (found: ${version:-none}); WINE=PATH names another one"
	exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export GOOS=windows CGO_ENABLED=0 WINEDEBUG=-all
go build -o "$tmp/" ./tests/program/memctl ./tests/program/memctl-full || exit 1
TESTS_PROGRAMS="Z:$tmp"
export TESTS_PROGRAMS
passed=0 failed=0
for package in ${*:-$(cat .ci/windows-packages)}; do
	rm -f "$tmp/test.exe"
	if ! go test -c -o "$tmp/test.exe" "./$package" >"$tmp/out" 2>&1; then
		cat "$tmp/out"
	elif [ ! -e "$tmp/test.exe" ]; then
		continue
	elif (cd "$package" && timeout 600 "$wine" "$tmp/test.exe" </dev/null >"$tmp/out" 2>&1); then
		passed=$((passed + 1))
		echo "ok    $package"
		continue
	fi
	failed=$((failed + 1))
	echo "FAIL  $package"
	[ -z "${VERBOSE:-}" ] || tail -n 40 "$tmp/out"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
