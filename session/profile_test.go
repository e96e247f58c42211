package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

const today = "2026-03-01"

// item is a plain item that stands in the profile unless a change keeps it out.
func item(key string, changes ...func(*contents.Item)) contents.Item {
	it := contents.Item{Item: memfile.Item{Key: key, Value: memfile.Str("value of " + key), Added: "2026-01-01", Labels: labels.Labels{Confidence: memfile.High}}}
	for _, change := range changes {
		change(&it)
	}
	return it
}

func conf(level string) func(*contents.Item) {
	return func(it *contents.Item) { it.Confidence = level }
}
func tags(list ...string) func(*contents.Item) { return func(it *contents.Item) { it.Tags = list } }
func day(added string) func(*contents.Item)    { return func(it *contents.Item) { it.Added = added } }
func expires(d string) func(*contents.Item)    { return func(it *contents.Item) { it.Expires = d } }
func value(text string) func(*contents.Item) {
	return func(it *contents.Item) { it.Value = memfile.Str(text) }
}
func globs(list ...string) func(*contents.Item) {
	return func(it *contents.Item) { it.Paths = list }
}
func by(who string) func(*contents.Item) { return func(it *contents.Item) { it.By = who } }
func pinned(it *contents.Item)           { it.Pinned = true }
func locked(it *contents.Item)           { it.Locked = true }

func rival(confidence, by string) func(*contents.Item) {
	return func(it *contents.Item) {
		it.Conflict = []memfile.Rival{{Value: memfile.Str("other"), Confidence: confidence, By: by}}
	}
}

func in(scope string, items ...contents.Item) *contents.Memory {
	m := &contents.Memory{Store: &store.Store{Scope: scope}, Exists: true, Settings: memfile.Settings{Enabled: true}, Items: items}
	m.Judge(today)
	return m
}

// off is the memory with its switch off.
func off(m *contents.Memory) *contents.Memory {
	m.Settings.Enabled = false
	m.Judge(today)
	return m
}

// switched is the memory with the person's own switch off.
func switched(m *contents.Memory) *contents.Memory {
	m.Closed = contents.Off
	m.Judge(today)
	return m
}

// foreign is a memory that somebody else wrote.
func foreign(m *contents.Memory) *contents.Memory {
	for i := range m.Items {
		m.Items[i].Foreign = true
	}
	return m
}

// told is the profile as one line an entry: "+scope key" for a bullet, "-scope
// key why" for what stands back.
func told(p Profile) string {
	var list []string
	for _, b := range p.Bullets {
		list = append(list, "+"+b.Scope+" "+b.Key)
	}
	for _, l := range p.LeftOut {
		list = append(list, "-"+l.Scope+" "+l.Key+" "+l.Why)
	}
	return strings.Join(list, "\n")
}

func TestBuildTakesAndLeavesOut(t *testing.T) {
	root := Conditions{Folder: "."}
	for name, tt := range map[string]struct {
		memories []*contents.Memory
		on       Conditions
		want     []string
	}{
		"no memory gives no bullet":                                      {on: root},
		"medium and high stand, low does not":                            {[]*contents.Memory{in("project", item("a.low", conf("low")), item("b.mid", conf("medium")), item("c.high"))}, root, []string{"+project b.mid", "+project c.high", "-project a.low low"}},
		"an unknown confidence counts as low":                            {[]*contents.Memory{in("project", item("a.b", conf("certain")))}, root, []string{"-project a.b low"}},
		"low that waits is low":                                          {[]*contents.Memory{in("project", item("a.b", conf("low"), tags("needs-confirmation")))}, root, []string{"-project a.b low"}},
		"high that waits is not confirmed":                               {[]*contents.Memory{in("project", item("a.b", tags("x", "needs-confirmation")))}, root, []string{"-project a.b needs-confirmation"}},
		"a lesson stands back":                                           {[]*contents.Memory{in("project", item("lessons.slow"), item("lesson.one"))}, root, []string{"+project lesson.one", "-project lessons.slow lesson"}},
		"what expires today is gone":                                     {[]*contents.Memory{in("project", item("a.b", expires(today)))}, root, []string{"-project a.b expired"}},
		"what expires tomorrow stands":                                   {[]*contents.Memory{in("project", item("a.b", expires("2026-03-02")))}, root, []string{"+project a.b"}},
		"what is withheld stands back":                                   {[]*contents.Memory{in("project", item("a.b", func(it *contents.Item) { it.Withheld = []string{"secret"} }))}, root, []string{"-project a.b withheld"}},
		"enabled false governs its own scope":                            {[]*contents.Memory{off(in("project", item("a.b"))), in("user", item("a.b"), item("c.d"))}, root, []string{"+user a.b", "+user c.d", "-project a.b disabled"}},
		"the person's switch governs all":                                {[]*contents.Memory{switched(in("project", item("a.b"))), switched(in("user", item("c.d")))}, root, []string{"-project a.b disabled", "-user c.d disabled"}},
		"disabled is said before the rest":                               {[]*contents.Memory{off(in("project", item("a.b", conf("low"))))}, root, []string{"-project a.b disabled"}},
		"private over project over user":                                 {[]*contents.Memory{in("private", item("a.b")), in("project", item("a.b"), item("c.d")), in("user", item("a.b"), item("c.d"))}, root, []string{"+private a.b", "+project c.d", "-project a.b shadowed", "-user a.b shadowed", "-user c.d shadowed"}},
		"what is low shadows nothing":                                    {[]*contents.Memory{in("private", item("a.b", conf("low"))), in("project", item("a.b"))}, root, []string{"+project a.b", "-private a.b low"}},
		"what is expired shadows nothing":                                {[]*contents.Memory{in("private", item("a.b", expires(today))), in("project", item("a.b"))}, root, []string{"+project a.b", "-private a.b expired"}},
		"what is withheld shadows nothing":                               {[]*contents.Memory{in("private", item("a.b", func(it *contents.Item) { it.Withheld = []string{"secret"} })), in("project", item("a.b"))}, root, []string{"+project a.b", "-private a.b withheld"}},
		"a locked item of the user wins":                                 {[]*contents.Memory{in("private", item("a.b")), in("project", item("a.b")), in("user", item("a.b", locked))}, root, []string{"+user a.b", "-private a.b shadowed", "-project a.b shadowed"}},
		"a person's item outranks an agent's nearer one":                 {[]*contents.Memory{in("private", item("a.b", by("automatic"))), in("project", item("a.b")), in("user", item("a.b"))}, root, []string{"+project a.b", "-private a.b outranked", "-user a.b shadowed"}},
		"a person's farthest item outranks agents' everywhere":           {[]*contents.Memory{in("private", item("a.b", by("relayed"), pinned)), in("project", item("a.b", by("relayed"))), in("user", item("a.b", conf("medium")))}, root, []string{"+user a.b", "-private a.b outranked", "-project a.b outranked"}},
		"among agents' items the nearer scope wins":                      {[]*contents.Memory{in("private", item("a.b", by("automatic"))), in("project", item("a.b", by("relayed")))}, root, []string{"+private a.b", "-project a.b shadowed"}},
		"an agent's item counts where the person's is about other paths": {[]*contents.Memory{in("private", item("a.b", by("relayed"))), in("project", item("a.b", globs("web/**")))}, root, []string{"+private a.b", "-project a.b paths"}},
		"an agent's locked item of the user wins over nobody's word":     {[]*contents.Memory{in("project", item("a.b")), in("user", item("a.b", locked, by("relayed")))}, root, []string{"+project a.b", "-user a.b outranked"}},
		"a stranger's item shadows no own scope": {[]*contents.Memory{foreign(in("project", item("a.b"), item("c.d"))), in("user", item("a.b", by("relayed")))},
			root, []string{"+user a.b", "+project c.d", "-project a.b outranked"}},
		"a person's items come before an agent's": {[]*contents.Memory{in("project", item("a.agent", by("automatic"), day("2026-02-28")), item("b.person", conf("medium")))}, root, []string{"+project b.person", "+project a.agent"}},
		"a locked item elsewhere does not win":    {[]*contents.Memory{in("private", item("a.b")), in("project", item("a.b", locked))}, root, []string{"+private a.b", "-project a.b shadowed"}},
		"a locked low item of the user is out":    {[]*contents.Memory{in("project", item("a.b")), in("user", item("a.b", locked, conf("low")))}, root, []string{"+project a.b", "-user a.b low"}},
		"foreign paths stand back":                {[]*contents.Memory{in("project", item("a.b", globs("web/**")), item("c.d", globs("api", "cmd/*")))}, Conditions{Folder: "cmd/x/y"}, []string{"+project c.d", "-project a.b paths"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := told(Build(tt.memories, tt.on))
			if want := strings.Join(tt.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func many(prefix string, n int, changes ...func(*contents.Item)) []contents.Item {
	var list []contents.Item
	for i := range n {
		list = append(list, item(fmt.Sprintf("%s.k%02d", prefix, i), changes...))
	}
	return list
}

// TestKeepOrder sorts what is kept first to the front.
func TestKeepOrder(t *testing.T) {
	want := []contents.Item{
		item("a.pinned", pinned, conf("medium"), by("automatic")), item("b.signals", func(it *contents.Item) { it.Signals = 4 }), item("c.new", day("2026-02-01")),
		item("d.updated", func(it *contents.Item) { it.Updated = "2026-01-20" }), item("e.key"), item("f.key"), item("g.mid", conf("medium"), day("2026-02-20")),
		item("h.agent", by("automatic"), day("2026-02-21")),
	}
	m := in("project", slices.Clone(want)...)
	slices.Reverse(m.Items)
	var p Profile
	for i, c := range p.choose([]*contents.Memory{m}, Conditions{}, exclusionReason) {
		if c.Key != want[i].Key {
			t.Errorf("%d is %s, want %s", i, c.Key, want[i].Key)
		}
	}
}

// handedOut is the profile as the briefing prints it, each bullet with its scope.
func handedOut(p Profile) string {
	return Preamble + "\n\n" + strings.Join(Bulleted("", "", p.Bullets).Units, "") + p.Missing
}

// TestProfileHoldsEveryItem fills the profile with rules like those of instruction files.
func TestProfileHoldsEveryItem(t *testing.T) {
	rules := []string{
		"run `make test` before every commit; never skip hooks", `say "please review" in the title`, "two spaces\nno tabs", "table tests with a sentence as the name",
		"errors are lower case, without a full stop", "prefer the standard library; ask before adding a dependency", "one migration for each change of the schema",
	}
	var items []contents.Item
	for i := range 60 {
		items = append(items, item(fmt.Sprintf("area%02d.rule-%02d", i%35, i), value(rules[i%len(rules)])))
	}
	p := Build([]*contents.Memory{in("project", items...)}, Conditions{})
	text := handedOut(p)
	if len(p.Bullets) > MaxBullets || len(text) > MaxBytes || len(p.LeftOut) > 0 || p.Missing != "" {
		t.Errorf("%d bullets, %d bytes, left out %v", len(p.Bullets), len(text), p.LeftOut)
	}
	found := map[string]bool{}
	for _, b := range p.Bullets {
		for _, it := range b.Items {
			found[it.Key+" "+it.Text] = true
		}
	}
	for _, it := range items {
		if !found[it.Key+" "+Defuse(it.Value.Plain())] {
			t.Errorf("%s is not in a bullet", it.Key)
		}
	}
	for _, want := range []string{`rule-00: "run ` + "`make test`" + ` before every commit; never skip hooks"`, `: say "please review" in the title`, `: "two spaces no tabs"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// TestProfileNamesEveryKey has more items than there is room for.
func TestProfileNamesEveryKey(t *testing.T) {
	var items []contents.Item
	for i := range 200 {
		items = append(items, item(fmt.Sprintf("namespace%02d.convention-%03d", i%40, i), value(strings.Repeat("word ", 30))))
	}
	p := Build([]*contents.Memory{in("project", items...)}, Conditions{})
	text := handedOut(p)
	if len(text) > MaxBytes || len(text) < MaxBytes*9/10 || len(p.LeftOut) == 0 {
		t.Errorf("%d bytes, %d left out", len(text), len(p.LeftOut))
	}
	for _, it := range items {
		_, name, _ := strings.Cut(it.Key, ".")
		if !strings.Contains(text, name) {
			t.Errorf("%s is not named", it.Key)
		}
	}
	for i := range 2000 {
		items = append(items, item(fmt.Sprintf("further%02d.convention-%04d", i%40, i), conf("medium")))
	}
	p = Build([]*contents.Memory{in("project", items...)}, Conditions{})
	if text := handedOut(p); len(text) > MaxBytes || len(p.Bullets) == 0 || !strings.Contains(p.Missing, " more\n") {
		t.Errorf("%d bytes, %d bullets, %q", len(text), len(p.Bullets), p.Missing)
	}
}

// TestProfileKeepsItsCaps tries random memories: the caps hold, every item is in a bullet
// or left out by name, what is pinned stands alone, and the person's own come first.
func TestProfileKeepsItsCaps(t *testing.T) {
	joined, missed := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		var memories []*contents.Memory
		all := 0
		for _, scope := range []string{"private", "project", "user"} {
			var items []contents.Item
			for i := range r.IntN(60) {
				changes := []func(*contents.Item){value(strings.Repeat("x; ", r.IntN(120)) + "y"), day(fmt.Sprintf("2026-01-%02d", 1+r.IntN(28)))}
				if r.IntN(8) == 0 {
					changes = append(changes, pinned)
				}
				if r.IntN(3) == 0 {
					changes = append(changes, by("automatic"))
				}
				items = append(items, item(fmt.Sprintf("%s%d.k%02d", scope, r.IntN(25), i), changes...))
			}
			all += len(items)
			memories = append(memories, in(scope, items...))
		}
		on := Conditions{MaxBullets: 5 + r.IntN(15), MaxBytes: 1000 + r.IntN(9000)}
		p := Build(memories, on)
		if text := handedOut(p); len(p.Bullets) > min(MaxBullets, on.MaxBullets) || len(text) > min(MaxBytes, on.MaxBytes) {
			t.Fatalf("seed %d: %d bullets, %d bytes", seed, len(p.Bullets), len(text))
		}
		there := 0
		for _, b := range p.Bullets {
			there += len(b.Each())
			if b.Pinned && len(b.Items) > 0 {
				t.Fatalf("seed %d: what is pinned shares a bullet: %+v", seed, b)
			}
			if len(b.Items) > 0 {
				joined++
			}
		}
		if there+len(p.LeftOut) != all {
			t.Fatalf("seed %d: %d in bullets, %d left out, of %d", seed, there, len(p.LeftOut), all)
		}
		for _, l := range p.LeftOut {
			missed++
			if l.Why != WhyCap || !strings.Contains(p.Missing, l.Key) && !strings.Contains(p.Missing, " more\n") {
				t.Fatalf("seed %d: %+v is not named in %q", seed, l, p.Missing)
			}
		}
	}
	if joined == 0 || missed == 0 {
		t.Fatal("no bullet was shared, or nothing was left out")
	}
}

func TestProfileKeepsThePersonsOwn(t *testing.T) {
	long := value(strings.Repeat("x", 930))
	for name, tt := range map[string]struct {
		memories []*contents.Memory
		project  int // items of the project's
		own      int // items of the person's own scopes
	}{
		"fifteen of the project's alone":                                 {[]*contents.Memory{in("project", many("p", 15)...)}, 15, 0},
		"more than fifteen share bullets":                                {[]*contents.Memory{in("project", many("p", 30)...), in("user", many("u", 30)...)}, 30, 30},
		"what is pinned crowds out no own":                               {[]*contents.Memory{in("project", many("p", 30, pinned)...), in("user", many("u", 30, conf("medium"))...)}, 14, 30},
		"nine and a half thousand bytes":                                 {[]*contents.Memory{in("project", many("p", 15, long)...)}, 9, 0},
		"long bullets do not crowd the user's out":                       {[]*contents.Memory{in("project", many("p", 10, long, pinned)...), in("user", many("u", 5, conf("medium"), long)...)}, 4, 5},
		"an agent's long bullets crowd out nothing that a person stated": {[]*contents.Memory{in("private", many("a", 5, by("automatic"), long)...), in("project", many("p", 9, long)...)}, 9, 0},
		"one that is longer than the cap is passed by":                   {[]*contents.Memory{in("project", item("a.huge", value(strings.Repeat("y", MaxBytes)), pinned), item("b.small"))}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := Build(tt.memories, Conditions{Folder: "."})
			project, own := 0, 0
			for _, b := range p.Bullets {
				if b.Scope == "project" {
					project += len(b.Each())
				} else {
					own += len(b.Each())
				}
			}
			if project != tt.project || own != tt.own {
				t.Errorf("%d of the project's and %d own, want %d and %d", project, own, tt.project, tt.own)
			}
		})
	}
}

func TestProfileFillsToTheLastByte(t *testing.T) {
	room := MaxBytes - len(Preamble) - len("\n\n") - len("- [project] a.b: \n")
	for name, tt := range map[string]struct {
		length, bullets int
	}{"exactly the cap": {room, 1}, "one byte more": {room + 1, 0}} {
		t.Run(name, func(t *testing.T) {
			p := Build([]*contents.Memory{in("project", item("a.b", value(strings.Repeat("z", tt.length))))}, Conditions{})
			if len(p.Bullets) != tt.bullets || tt.bullets == 1 && len(handedOut(p)) != MaxBytes {
				t.Errorf("%d bullets in %d bytes", len(p.Bullets), len(handedOut(p)))
			}
		})
	}
}

func TestProfilePrintsWhatThePersonSaidElse(t *testing.T) {
	const said = `value of a.b (on 2026-02-02 the person said "other"; ask)`
	for name, tt := range map[string]struct {
		by   string
		want string
	}{
		"the person's own words": {"", said}, "what an agent passed on": {"relayed", "value of a.b"}, "an agent's": {"automatic", "value of a.b"},
	} {
		t.Run(name, func(t *testing.T) {
			it := item("a.b", rival("medium", tt.by))
			it.Conflict[0].Added = "2026-02-02"
			p := Build([]*contents.Memory{in("project", it)}, Conditions{})
			if len(p.Bullets) != 1 || p.Bullets[0].Text != tt.want {
				t.Errorf("%+v", p.Bullets)
			}
		})
	}
}

func TestTheSameMemoryGivesTheSameBytes(t *testing.T) {
	items := append(many("a", 10), many("b", 10, conf("medium"))...)
	first := Build([]*contents.Memory{in("project", items...)}, Conditions{})
	slices.Reverse(items)
	again := Build([]*contents.Memory{in("project", items...)}, Conditions{})
	if first.Text != again.Text || told(first) != told(again) {
		t.Errorf("got\n%s\nthen\n%s", first.Text, again.Text)
	}
	if !strings.HasPrefix(first.Text, Preamble+"\n\n- a: k00: value of a.k00; k01: ") {
		t.Errorf("begins with %q", first.Text[:200])
	}
}

func TestTokensRoundsUp(t *testing.T) {
	for bytes, want := range map[int]int{0: 0, 1: 1, 3: 1, 4: 2, 7: 2, 8: 3, 35: 10, 36: 11} {
		if got := Tokens(bytes); got != want {
			t.Errorf("%d bytes: %d tokens, want %d", bytes, got, want)
		}
	}
}
