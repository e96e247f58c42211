package instructions

import (
	_ "embed"
	"strings"
	"sync"
)

// concept names a set of words that mean one thing here; risk.txt has the words.
type concept string

const (
	sending       concept = "sending"      // moves something somewhere
	confidential  concept = "confidential" // nobody outside may have it
	otherPlace    concept = "otherPlace"   // another machine
	openPlace     concept = "openPlace"    // where everybody can read
	fetching      concept = "fetching"     // gets something from somewhere
	running       concept = "running"      // runs or obeys it
	source        concept = "source"       // where programs and packages come from
	changing      concept = "changing"     // a change of how things are set up
	turningOff    concept = "turningOff"
	guard         concept = "guard" // what protects: checks, reviews, encryption
	unsafeSetting concept = "unsafeSetting"
	granting      concept = "granting" // access for somebody
	unasked       concept = "unasked"  // nobody is asked
	acting        concept = "acting"   // what should be asked for
	unsaid        concept = "unsaid"   // nobody is told
	lasting       concept = "lasting"  // a note about the memory's own rank
	memories      concept = "memories"
	promoting     concept = "promoting"
	everywhere    concept = "everywhere"
	damaging      concept = "damaging"
	lost          concept = "lost" // what cannot be had back
	destroying    concept = "destroying"
	trusting      concept = "trusting"  // somebody else's word counts as the person's
	addressed     concept = "addressed" // speaks to agents
	asking        concept = "asking"    // asks the person for something
	decoding      concept = "decoding"
)

// risks are the sets of concepts that a person decides on, the worst first. The kinds are
// those of steerNames in policy.
var risks = []struct {
	kind  string
	needs []concept
}{
	{"send", []concept{sending, confidential, otherPlace}},
	{"send", []concept{sending, confidential, openPlace}},
	{"command", []concept{fetching, running, otherPlace}},
	{"command", []concept{source, changing, otherPlace}},
	{"guard", []concept{turningOff, guard}},
	{"guard", []concept{unsafeSetting}},
	{"guard", []concept{granting}},
	{"guard", []concept{unasked, acting}},
	{"guard", []concept{damaging}},
	{"guard", []concept{destroying, lost}},
	{"override", []concept{trusting, otherPlace}},
	{"override", []concept{trusting, memories}},
	{"override", []concept{trusting, running}},
	{"document", []concept{addressed}},
	{"send", []concept{asking, confidential}},
	{"command", []concept{decoding, running}},
	{"hide", []concept{unsaid}},
	{"override", []concept{lasting, memories}},
	{"document", []concept{promoting, otherPlace, everywhere}},
}

// things are the concepts that a word before them does not forbid: things, and what is
// forbidden itself.
var things = map[concept]bool{confidential: true, otherPlace: true, openPlace: true, source: true, guard: true, acting: true, memories: true, everywhere: true, lost: true, unsaid: true, lasting: true, addressed: true}

//go:embed risk.txt
var riskTable string

// riskLists are the lists of risk.txt by name.
var riskLists = sync.OnceValue(func() map[concept][]string {
	lists := map[concept][]string{}
	var name concept
	for line := range strings.Lines(riskTable) {
		head, isHead := strings.CutSuffix(strings.TrimSpace(line), ":")
		switch {
		case strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
		case isHead && !strings.HasPrefix(line, " "):
			name = concept(head)
		default:
			lists[name] = append(lists[name], strings.Fields(line)...)
		}
	}
	return lists
})
