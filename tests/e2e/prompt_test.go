//go:build e2e

package e2e

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// conversation names the parts of a request that are not the tools, in their order.
var conversation = []string{"system", "systemInstruction", "instructions", "messages", "input", "contents"}

// laidOut is the part of a request that the model reads, in the order in which services cache
// it: tools, system prompt, conversation. The bytes are those that the client sent.
func laidOut(t *testing.T, r request) string {
	t.Helper()
	return parts(t, r, append([]string{"tools"}, conversation...))
}

func parts(t *testing.T, r request, names []string) string {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(r.body), &fields); err != nil {
		t.Fatalf("%s: %v", r.path, err)
	}
	var text strings.Builder
	for _, name := range names {
		text.Write(fields[name])
	}
	return loneText.ReplaceAllString(cacheMark.ReplaceAllString(text.String(), ""), "$1")
}

// cacheMark is a mark of Claude Code's for the cache; it moves to the newest message.
var cacheMark = regexp.MustCompile(`,"cache_control":\{[^{}]*\}`)

// loneText is a text as Claude Code sends it with that mark; it sends the text alone without.
var loneText = regexp.MustCompile(`\[\{"type":"text","text":("(?:[^"\\]|\\.)*")\}\]`)

// briefing is one briefing of memctl in a request, in JSON's escapes.
var briefing = regexp.MustCompile(`# Memory of this project \(memctl\)\\n\\nWhat this person.*?Receipt: [^\\]*?\(([0-9]+) bytes\)\.\\n`)

// memory is where the first briefing stands in a request, and what it says.
type memory struct {
	at, end int // in laidOut; -1 where there is none
	text    string
	said    int // bytes, as its receipt says
	times   int // briefings in the request
}

func memoryIn(t *testing.T, r request) memory {
	t.Helper()
	text := laidOut(t, r)
	found := briefing.FindAllStringSubmatchIndex(text, -1)
	if len(found) == 0 {
		return memory{at: -1, end: -1}
	}
	m := memory{at: found[0][0], end: found[0][1], times: len(found)}
	if err := json.Unmarshal([]byte(`"`+text[m.at:m.end]+`"`), &m.text); err != nil {
		t.Fatal(err)
	}
	m.said, _ = strconv.Atoi(text[found[0][2]:found[0][3]])
	return m
}

// talk is the requests of the conversation that the words are in. A request without tools is
// about something else, such as a title or a summary. The test ends where there is none.
func (r *trial) talk(requests []request, words string) (list []request) {
	r.t.Helper()
	for _, a := range requests {
		if isTalk(a) && strings.Contains(a.body, words) {
			list = append(list, a)
		}
	}
	if len(list) == 0 {
		r.t.Fatalf("%q is in none of %d requests\n%s", words, len(requests), r.out)
	}
	return list
}

func isTalk(r request) bool {
	var fields struct {
		Tools []json.RawMessage `json:"tools"`
	}
	return json.Unmarshal([]byte(r.body), &fields) == nil && len(fields.Tools) > 0
}

// checkBriefed checks that each request holds the fact once, in one briefing that has as many
// bytes as its receipt says, and that no two of them differ in a byte before it.
func checkBriefed(t *testing.T, requests []request) {
	t.Helper()
	if len(requests) == 0 {
		t.Fatal("the conversation is in no request")
	}
	first := memoryIn(t, requests[0])
	for i, r := range requests {
		m := memoryIn(t, r)
		if n := strings.Count(r.body, fact); n != 1 || m.times != 1 {
			t.Errorf("request %d holds the fact %d times, and %d briefings\n%s", i, n, m.times, r.body)
			continue
		}
		if len(m.text) != m.said {
			t.Errorf("request %d: the briefing has %d bytes, and its receipt says %d\n%s", i, len(m.text), m.said, m.text)
		}
		checkSameStart(t, requests[0], r, first.at)
		t.Logf("request %d of %d: memory once, %d bytes, after %d bytes that did not change", i+1, len(requests), len(m.text), first.at)
	}
}

// checkSameStart checks that two requests do not differ in their first n bytes.
func checkSameStart(t *testing.T, a, b request, n int) {
	t.Helper()
	if at := differAt(laidOut(t, a), laidOut(t, b)); at < n {
		t.Errorf("two requests differ at byte %d, want none before byte %d\n%s\n%s", at, n, around(laidOut(t, a), at), around(laidOut(t, b), at))
	}
}

// checkUnbriefed checks that no request holds anything of memctl's or of memory.
func checkUnbriefed(t *testing.T, requests []request) {
	t.Helper()
	for i, r := range requests {
		if memoryIn(t, r).times != 0 || strings.Contains(r.body, fact) {
			t.Errorf("request %d holds memory\n%s", i, r.body)
		}
	}
}

// differAt is the first byte in which two texts differ, or the length of the shorter one.
func differAt(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func around(text string, at int) string {
	return text[max(0, at-60):min(len(text), at+60)]
}
