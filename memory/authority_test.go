package memory

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update", false, "write the table of authority into docs/acts.md")

var allStates = []State{StateAbsent, StateConcluded, StatePassedOn, StateStated, StateLocked, StateForgotten}

// authorityTable is the table as docs/acts.md has it.
func authorityTable() string {
	words := map[Ruling]string{Allowed: "yes", Beside: "beside it", Waits: "unconfirmed", ForPerson: "no", IfAsked: "no", IsLocked: "`locked`", IsRemoved: "`forgotten`", Impossible: ""}
	var b strings.Builder
	b.WriteString("|act|no record|an agent's|passed on|stated|locked|forgotten|\n|---|---|---|---|---|---|---|\n")
	var persons []string
	for _, row := range authority {
		if row.relayed == "pppppp" && row.automatic == row.relayed {
			act, state, found := strings.Cut(row.act, ", ")
			if act = "`" + act + "`"; found {
				act += " (" + state + ")"
			}
			persons = append(persons, act)
			continue
		}
		b.WriteString("|`" + row.act + "`")
		for _, state := range allStates {
			relayed, _ := Authority(row.act, Relayed, state)
			automatic, _ := Authority(row.act, Automatic, state)
			cell := words[relayed]
			if words[automatic] != cell {
				cell += " / " + words[automatic]
			}
			b.WriteString("|" + cell)
		}
		b.WriteString("|\n")
	}
	return b.String() + "\nOnly a person: " + strings.Join(persons, ", ") + ".\n"
}

func TestAuthorityIsInTheDocs(t *testing.T) {
	const file, begin, end = "../docs/acts.md", "<!-- authority -->\n", "<!-- end of authority -->\n"
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(src), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no marks of the table", file)
	}
	want := before + begin + authorityTable() + end + after
	switch {
	case want == string(src):
	case *updateDocs:
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the table is now; `go test ./memory -run TestAuthorityIsInTheDocs -update` rewrites it", file)
	}
}

func TestAuthority(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range authority {
		if seen[row.act] || len(row.relayed) != len(allStates) || len(row.automatic) != len(allStates) || strings.Trim(row.relayed+row.automatic, "+bwpalf.") != "" {
			t.Errorf("%+v: twice, or not a ruling for each state", row)
		}
		seen[row.act] = true
		for _, state := range allStates {
			if ruling, _ := Authority(row.act, Explicit, state); ruling != Allowed {
				t.Errorf("%s: a person may do everything, but gets %c", row.act, ruling)
			}
			relayed, _ := Authority(row.act, Relayed, state)
			automatic, _ := Authority(row.act, Automatic, state)
			if refused(relayed) && !refused(automatic) {
				t.Errorf("%s, state %d: an agent may do by itself what it may not pass on", row.act, state)
			}
			if state == StateLocked && (relayed == Allowed || automatic == Allowed) {
				t.Errorf("%s: an agent changes what is locked", row.act)
			}
		}
	}
	// What a person stated wins: no agent changes it, except that it may pass on to forget, confirm or verify it.
	for _, row := range authority {
		passes := slices.Contains([]string{"forget", "confirm", "verify", "remember"}, row.act)
		if relayed, _ := Authority(row.act, Relayed, StateStated); relayed == Allowed && !passes {
			t.Errorf("%s: an agent that passes on words changes what a person stated", row.act)
		}
		if automatic, _ := Authority(row.act, Automatic, StateStated); automatic == Allowed && row.act != "remember" {
			t.Errorf("%s: an agent changes by itself what a person stated", row.act)
		}
	}
}

func refused(r Ruling) bool { return strings.ContainsRune("palf.", rune(r)) }
