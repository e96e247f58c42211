#!/bin/sh
# Runs every fuzz target of the project, one after the other, each for the
# time given: fuzz.sh 60s. Fails where a target fails, or where there is none.
set -eu
time=${1:-60s}
count=0
for file in $(find . -name '*_test.go' -not -path './.*' | sort); do
	for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
		echo "$(dirname "$file") $target"
		go test "$(dirname "$file")" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x -parallel "${FUZZPROCS:-1}"
		count=$((count + 1))
	done
done
if [ "$count" -eq 0 ]; then
	echo 'no fuzz target was found' >&2
	exit 1
fi
echo "$count fuzz targets passed"
