package session

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
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
func atLine(n int) func(*contents.Item)  { return func(it *contents.Item) { it.Line = n } }
func by(who string) func(*contents.Item) { return func(it *contents.Item) { it.By = who } }
func pinned(it *contents.Item)           { it.Pinned = true }
func locked(it *contents.Item)           { it.Locked = true }

func rival(confidence, by string) func(*contents.Item) {
	return func(it *contents.Item) {
		it.Conflict = []memfile.Rival{{Value: memfile.Str("other"), Labels: labels.Labels{Confidence: confidence, By: by}}}
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
			root, []string{"+project c.d", "+user a.b", "-project a.b outranked"}},
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
		item("z.pinned", pinned, conf("medium"), by("automatic")), item("y.changed", day("2025-01-01"), func(it *contents.Item) { it.Updated = "2026-02-20" }),
		item("x.first", day("2026-02-01")), item("w.second", day("2026-02-02"), conf("medium")), item("t.asked", day("2026-02-03"), by("relayed"), func(it *contents.Item) { it.Source = memfile.SaidPrefix + "2026-02-03" }), item("s.today", day(today)),
		item("r.before", day("2025-01-01")), item("q.before", day("2026-01-20")),
		item("p.agent", by("automatic")), item("o.agent", by("automatic"), conf("medium"), day("2025-01-01")),
	}
	m := in("project", slices.Clone(want)...)
	slices.Reverse(m.Items)
	for i, c := range Choose([]*contents.Memory{m}, Conditions{Today: today}).shown {
		if c.Key != want[i].Key {
			t.Errorf("%d is %s, want %s", i, c.Key, want[i].Key)
		}
	}
}

// TestAnItemThatTakesRoomNamesWhoseItWas: pinning a new one pushes out the last, which a new one without a pin does not.
func TestAnItemThatTakesRoomNamesWhoseItWas(t *testing.T) {
	long := value(strings.Repeat("x", 900))
	list := append(many("p", 9, long, day("2026-02-10")), item("z.new", long, day("2026-02-20")))
	on := Conditions{Today: today, MaxBytes: 9000}
	if got := displaced(list, on); len(got) > 0 {
		t.Errorf("it displaces %q", got)
	}
	pinned(&list[9])
	got := displaced(list, on)
	if len(got) != 1 || got[0] != list[8].Key {
		t.Errorf("pinned, it displaces %q, want %s", got, list[8].Key)
	}
}

func displaced(list []contents.Item, on Conditions) []string {
	choice := Choose([]*contents.Memory{in("project", list...)}, on)
	return choice.Displaced(choice.Profile(on), "project", "z.new", on)
}

func TestSentencesStandWithoutTheirKeys(t *testing.T) {
	list := append(many("git", 16, value("x")), item("api.paths", value("Put the version in the path")), item("git.rebase", value("Rebase before a pull request")), item("git.branches", value("feature/NAME")), item("lang.list", value("Go, Rust, C")), item("zh.tone", value("提交信息一律使用中文书写")))
	got := handedOut(Build([]*contents.Memory{in("project", list...)}, Conditions{}))
	for _, want := range []string{"\n  - Rebase before a pull request\n", "\n  - branches: feature/NAME\n", "\n- api: Put the version in the path\n", "\n- zh: 提交信息一律使用中文书写\n", "\n- lang.list: Go, Rust, C\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("without %q:\n%s", want, got)
		}
	}
}

// handedOut is the profile as the briefing prints it, with scopes.
func handedOut(p Profile) string {
	return Preamble + "\n\n" + strings.Join(p.Part().Units, "")
}

// TestProfileReadsLikeAList: the list that a person would write, for few items and for many.
func TestProfileReadsLikeAList(t *testing.T) {
	few := []contents.Item{item("testing.framework", value("table tests")), item("git.push", value("ask"))}
	var own, areas []contents.Item
	for i := range 14 {
		own = append(own, item(fmt.Sprintf("single%02d.rule", i), value("x")))
	}
	for i := range 16 {
		areas = append(areas, many(fmt.Sprintf("area%02d", i), 2, value("x"))...)
	}
	for name, tt := range map[string]struct {
		memories []*contents.Memory
		want     string
	}{
		"few items have a bullet each": {[]*contents.Memory{in("project", few...)}, "- git.push: ask\n- testing.framework: table tests\n"},
		"many are nested, areas of one item last": {[]*contents.Memory{in("project", append(own, few...)...), in("user", item("git.sign", value("yes")), item("other.x", value("y")))},
			"- git\n  - push: ask\n  - [user] sign: yes\n- single00, single01, single02, single03, single04, single05 and more\n  - single00 rule: x\n"},
		"within a day in the order of the file": {[]*contents.Memory{in("project", item("z.first", atLine(10)), item("a.second", atLine(20)))}, "- z.first: value of z.first\n- a.second: value of a.second\n"},
		"a fifteenth bullet has the areas after the fourteenth": {[]*contents.Memory{in("project", areas...)},
			"- area13\n  - k00: x\n  - k01: x\n- area14, area15\n  - area14 k00: x\n  - area14 k01: x\n  - area15 k00: x\n  - area15 k01: x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := handedOut(Build(tt.memories, Conditions{})); !strings.Contains(got, tt.want) {
				t.Errorf("got\n%s\nwithout\n%s", got, tt.want)
			}
		})
	}
}

// TestProfileNamesWhatHasNoRoom has more items than there is room for.
func TestProfileNamesWhatHasNoRoom(t *testing.T) {
	var items []contents.Item
	for i := range 200 {
		items = append(items, item(fmt.Sprintf("namespace%02d.convention-%03d", i%40, i), value(strings.Repeat("word ", 30))))
	}
	memories := []*contents.Memory{in("project", items...)}
	for limit, on := range map[string]Conditions{
		"the limit is 9500 bytes":            {},
		"the team's limit is 4000 bytes":     {MaxBytes: 4000},
		"the agent takes 10000 UTF-16 units": {Client: ClientOf("claude"), Room: 3000},
	} {
		p := Build(memories, on)
		most := min(Lower(MaxBytes, on.MaxBytes), cmp.Or(on.Room, MaxBytes))
		if n := len(handedOut(p)); n > most || n < most*9/10 || p.Limit != limit {
			t.Errorf("%s: %d bytes of %d, limit %q", limit, n, most, p.Limit)
		}
		left := len(p.LeftOut)
		if n := strings.Count(p.Missing, "namespace"); n != maxMissing || !strings.HasSuffix(p.Missing, fmt.Sprintf(" and %d more\n", left-maxMissing)) {
			t.Errorf("%s: %d left out, %q", limit, left, p.Missing)
		}
		if text := stoodText(p.Stood()); text != fmt.Sprintf("%d without room (%s)", left, limit) {
			t.Errorf("the receipt says %q", text)
		}
	}
	if p := Build([]*contents.Memory{in("project", items[:12]...)}, Conditions{}); p.Missing != "" || p.Limit != "" {
		t.Errorf("%q, %q", p.Missing, p.Limit)
	}
}

// TestEveryItemIsPrintedOrNamed tries random memories: the limits hold, and each item is in the text
// or among those that it names or counts.
func TestEveryItemIsPrintedOrNamed(t *testing.T) {
	nested, missed := 0, 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 1))
		var memories []*contents.Memory
		all := 0
		for _, scope := range []string{"private", "project", "user"} {
			var items []contents.Item
			for i := range r.IntN(1 + 60*int(seed%3)) {
				text := fmt.Sprintf("<%s %d>", scope, i) + strings.Repeat("x; é", r.IntN(120))
				changes := []func(*contents.Item){value(text), day(fmt.Sprintf("2026-01-%02d", 1+r.IntN(28)))}
				if r.IntN(8) == 0 {
					changes = append(changes, pinned)
				}
				if r.IntN(3) == 0 {
					changes = append(changes, by("automatic"))
				}
				items = append(items, item(fmt.Sprintf("%s%d.k%02d", []string{"same", scope}[r.IntN(2)], r.IntN(25), i)+scope, changes...))
			}
			all += len(items)
			memories = append(memories, in(scope, items...))
		}
		on := Conditions{MaxBytes: 1000 + r.IntN(9000), Client: ClientOf("claude"), Room: r.IntN(9000)}
		p := Build(memories, on)
		text := handedOut(p)
		if len(text) > min(MaxBytes, on.MaxBytes) || on.Room > len(Preamble) && UTF16.Size(text) > on.Room && len(p.Bullets) > 0 {
			t.Fatalf("seed %d: %d bytes, %d units with %+v", seed, len(text), UTF16.Size(text), on)
		}
		if n := strings.Count("\n"+text, "\n- "); n > MaxBullets+1 {
			t.Fatalf("seed %d: %d bullets", seed, n)
		}
		nested += strings.Count(text, "\n  - ")
		if len(p.Bullets)+len(p.LeftOut) != all {
			t.Fatalf("seed %d: %d printed, %d left out, of %d", seed, len(p.Bullets), len(p.LeftOut), all)
		}
		for _, b := range p.Bullets {
			if strings.Count(text, b.Text+"\n") != 1 {
				t.Fatalf("seed %d: %+v is not there once", seed, b)
			}
		}
		for _, l := range p.LeftOut {
			missed++
			if l.Why != WhyCap || !strings.Contains(p.Missing, l.Key) && !strings.Contains(p.Missing, " more\n") {
				t.Fatalf("seed %d: %+v is not named in %q", seed, l, p.Missing)
			}
		}
	}
	if nested == 0 || missed == 0 {
		t.Fatal("no list was nested, or nothing was left out")
	}
}

func TestProfileKeepsThePersonsOwn(t *testing.T) {
	long := value(strings.Repeat("x", 930))
	for name, tt := range map[string]struct {
		memories []*contents.Memory
		project  int // items of the project's
		own      int // items of the person's own scopes
	}{
		"there is no limit on the number":                              {[]*contents.Memory{in("project", many("p", 90, pinned)...), in("user", many("u", 90, conf("medium"))...)}, 90, 90},
		"nine and a half thousand bytes":                               {[]*contents.Memory{in("project", many("p", 15, long)...)}, 9, 0},
		"new items do not crowd older ones out":                        {[]*contents.Memory{in("project", many("p", 10, long, day("2026-02-01"))...), in("user", many("u", 5, conf("medium"), long)...)}, 4, 5},
		"an agent's long items crowd out nothing that a person stated": {[]*contents.Memory{in("private", many("a", 5, by("automatic"), long)...), in("project", many("p", 9, long)...)}, 9, 0},
		"one that is longer than the limit is skipped":                 {[]*contents.Memory{in("project", item("a.huge", value(strings.Repeat("y", MaxBytes)), pinned), item("b.small"))}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := Build(tt.memories, Conditions{Folder: "."})
			project, own := 0, 0
			for _, b := range p.Bullets {
				if b.Scope == "project" {
					project++
				} else {
					own++
				}
			}
			if project != tt.project || own != tt.own {
				t.Errorf("%d of the project's and %d own, want %d and %d", project, own, tt.project, tt.own)
			}
		})
	}
}

func TestProfileFillsToTheLastByte(t *testing.T) {
	room := MaxBytes - len(Preamble) - len("\n\n") - len("- a.b: \n")
	for name, tt := range map[string]struct {
		length, bullets int
	}{"exactly the limit": {room, 1}, "one byte more": {room + 1, 0}} {
		t.Run(name, func(t *testing.T) {
			p := Build([]*contents.Memory{in("project", item("a.b", value(strings.Repeat("z", tt.length))))}, Conditions{})
			if len(p.Bullets) != tt.bullets || tt.bullets == 1 && len(handedOut(p)) != MaxBytes {
				t.Errorf("%d bullets in %d bytes", len(p.Bullets), len(handedOut(p)))
			}
		})
	}
}

func TestProfilePrintsWhatThePersonSaidElse(t *testing.T) {
	const said = "other; or value of a.b (2 values of a merge)"
	for name, tt := range map[string]struct {
		by   string
		want string
	}{
		"the person's own words": {"", said}, "an earlier one of them": {"old", "value of a.b; or other (2 values of a merge)"}, "what an agent passed on": {"relayed", "value of a.b"}, "an agent's": {"automatic", "value of a.b"},
		"another branch's of the same day": {"same", "value of a.b; or other (2 values of a merge)"},
	} {
		t.Run(name, func(t *testing.T) {
			it := item("a.b", rival("medium", strings.TrimPrefix(strings.TrimPrefix(tt.by, "old"), "same")))
			it.Conflict[0].Added = "2026-02-02"
			switch tt.by {
			case "old":
				it.Conflict[0].Added = "2025-02-02"
			case "same":
				it.Conflict[0].Added = it.Day()
			}
			p := Build([]*contents.Memory{in("project", it)}, Conditions{})
			if len(p.Bullets) != 1 || p.Bullets[0].Text != tt.want {
				t.Errorf("%+v", p.Bullets)
			}
		})
	}
	it := item("a.b", rival("medium", ""))
	it.Conflict[0].Added = "2026-02-02"
	it.Conflict = append(it.Conflict, memfile.Rival{Value: memfile.Str("a third"), Added: "2026-02-03"})
	if p := Build([]*contents.Memory{in("project", it)}, Conditions{}); p.Bullets[0].Text != "a third; or other; or value of a.b (3 values of a merge)" {
		t.Errorf("of three: %q", p.Bullets[0].Text)
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
	if !strings.HasPrefix(first.Text, Preamble+"\n\n- a\n  - value of a.k00\n  - value of a.k01\n") {
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

func TestAValueThatHasTheWordsOfItsKeyStandsWithoutIt(t *testing.T) {
	for key, values := range map[string]map[string]bool{
		"release.01-run-make-check": {"1. Run `make check`": true},
		"tools.yarn":                {"use yarn": true, "never npm": false},
		"git.branch-names":          {"names of a branch are short": true, "feature/NAME": false, "short names": false},
		"release.date":              {"5. Mai 2026": false},
		"db.test.host":              {"host alpha": false, "host of test: alpha": true},
	} {
		for value, want := range values {
			if got := saysItself(key, value); got != want {
				t.Errorf("%s = %q: %v", key, value, got)
			}
		}
	}
}
