package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
)

const today = "2026-03-01"

// item is a plain item that stands in the profile unless a change keeps it out.
func item(key string, changes ...func(*store.Item)) store.Item {
	it := store.Item{Item: memfile.Item{Key: key, Value: memfile.Str("value of " + key), Added: "2026-01-01", Confidence: memfile.High}}
	for _, change := range changes {
		change(&it)
	}
	return it
}

func conf(level string) func(*store.Item)   { return func(it *store.Item) { it.Confidence = level } }
func tags(list ...string) func(*store.Item) { return func(it *store.Item) { it.Tags = list } }
func day(added string) func(*store.Item)    { return func(it *store.Item) { it.Added = added } }
func expires(d string) func(*store.Item)    { return func(it *store.Item) { it.Expires = d } }
func value(text string) func(*store.Item) {
	return func(it *store.Item) { it.Value = memfile.Str(text) }
}
func globs(list ...string) func(*store.Item) {
	return func(it *store.Item) { it.Paths = list }
}
func by(who string) func(*store.Item) { return func(it *store.Item) { it.By = who } }
func pinned(it *store.Item)           { it.Pinned = true }
func locked(it *store.Item)           { it.Locked = true }

func rival(confidence, by string) func(*store.Item) {
	return func(it *store.Item) {
		it.Conflict = []memfile.Rival{{Value: memfile.Str("other"), Confidence: confidence, By: by}}
	}
}

func in(scope string, items ...store.Item) *store.Memory {
	return &store.Memory{Store: &store.Store{Scope: scope}, Exists: true, Settings: memfile.Settings{Enabled: true}, Items: items}
}

func off(m *store.Memory) *store.Memory { m.Settings.Enabled = false; return m }

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
	root := Conditions{Today: today, Folder: "."}
	for name, tt := range map[string]struct {
		memories []*store.Memory
		on       Conditions
		want     []string
	}{
		"no memory gives no bullet":                                      {on: root},
		"medium and high stand, low does not":                            {[]*store.Memory{in("project", item("a.low", conf("low")), item("b.mid", conf("medium")), item("c.high"))}, root, []string{"+project c.high", "+project b.mid", "-project a.low low"}},
		"an unknown confidence counts as low":                            {[]*store.Memory{in("project", item("a.b", conf("certain")))}, root, []string{"-project a.b low"}},
		"low that waits is low":                                          {[]*store.Memory{in("project", item("a.b", conf("low"), tags("needs-confirmation")))}, root, []string{"-project a.b low"}},
		"high that waits is not confirmed":                               {[]*store.Memory{in("project", item("a.b", tags("x", "needs-confirmation")))}, root, []string{"-project a.b needs-confirmation"}},
		"a lesson stands back":                                           {[]*store.Memory{in("project", item("lessons.slow"), item("lesson.one"))}, root, []string{"+project lesson.one", "-project lessons.slow lesson"}},
		"what expires today is gone":                                     {[]*store.Memory{in("project", item("a.b", expires(today)))}, root, []string{"-project a.b expired"}},
		"what expires tomorrow stands":                                   {[]*store.Memory{in("project", item("a.b", expires("2026-03-02")))}, root, []string{"+project a.b"}},
		"what is withheld stands back":                                   {[]*store.Memory{in("project", item("a.b", func(it *store.Item) { it.Withheld = []string{"secret"} }))}, root, []string{"-project a.b withheld"}},
		"enabled false governs its own scope":                            {[]*store.Memory{off(in("project", item("a.b"))), in("user", item("a.b"), item("c.d"))}, root, []string{"+user a.b", "+user c.d", "-project a.b disabled"}},
		"the person's switch governs all":                                {[]*store.Memory{in("project", item("a.b")), in("user", item("c.d"))}, Conditions{Today: today, Folder: ".", Disabled: true}, []string{"-project a.b disabled", "-user c.d disabled"}},
		"disabled is said before the rest":                               {[]*store.Memory{off(in("project", item("a.b", conf("low"))))}, root, []string{"-project a.b disabled"}},
		"private over project over user":                                 {[]*store.Memory{in("private", item("a.b")), in("project", item("a.b"), item("c.d")), in("user", item("a.b"), item("c.d"))}, root, []string{"+private a.b", "+project c.d", "-project a.b shadowed", "-user a.b shadowed", "-user c.d shadowed"}},
		"what is low shadows nothing":                                    {[]*store.Memory{in("private", item("a.b", conf("low"))), in("project", item("a.b"))}, root, []string{"+project a.b", "-private a.b low"}},
		"what is expired shadows nothing":                                {[]*store.Memory{in("private", item("a.b", expires(today))), in("project", item("a.b"))}, root, []string{"+project a.b", "-private a.b expired"}},
		"what is withheld shadows nothing":                               {[]*store.Memory{in("private", item("a.b", func(it *store.Item) { it.Withheld = []string{"secret"} })), in("project", item("a.b"))}, root, []string{"+project a.b", "-private a.b withheld"}},
		"a locked item of the user wins":                                 {[]*store.Memory{in("private", item("a.b")), in("project", item("a.b")), in("user", item("a.b", locked))}, root, []string{"+user a.b", "-private a.b shadowed", "-project a.b shadowed"}},
		"a person's item outranks an agent's nearer one":                 {[]*store.Memory{in("private", item("a.b", by("automatic"))), in("project", item("a.b")), in("user", item("a.b"))}, root, []string{"+project a.b", "-private a.b outranked", "-user a.b shadowed"}},
		"a person's farthest item outranks agents' everywhere":           {[]*store.Memory{in("private", item("a.b", by("relayed"), pinned)), in("project", item("a.b", by("relayed"))), in("user", item("a.b", conf("medium")))}, root, []string{"+user a.b", "-private a.b outranked", "-project a.b outranked"}},
		"among agents' items the nearer scope wins":                      {[]*store.Memory{in("private", item("a.b", by("automatic"))), in("project", item("a.b", by("relayed")))}, root, []string{"+private a.b", "-project a.b shadowed"}},
		"an agent's item counts where the person's is about other paths": {[]*store.Memory{in("private", item("a.b", by("relayed"))), in("project", item("a.b", globs("web/**")))}, root, []string{"+private a.b", "-project a.b paths"}},
		"an agent's locked item of the user wins over nobody's word":     {[]*store.Memory{in("project", item("a.b")), in("user", item("a.b", locked, by("relayed")))}, root, []string{"+project a.b", "-user a.b outranked"}},
		"a stranger's item shadows no own scope": {[]*store.Memory{in("project", item("a.b"), item("c.d")), in("user", item("a.b", by("relayed")))},
			Conditions{Today: today, Folder: ".", Foreign: func(scope string, _ *store.Item) bool { return scope == "project" }}, []string{"+user a.b", "+project c.d", "-project a.b outranked"}},
		"a person's items come before an agent's": {[]*store.Memory{in("project", item("a.agent", by("automatic"), day("2026-02-28")), item("b.person", conf("medium")))}, root, []string{"+project b.person", "+project a.agent"}},
		"a locked item elsewhere does not win":    {[]*store.Memory{in("private", item("a.b")), in("project", item("a.b", locked))}, root, []string{"+private a.b", "-project a.b shadowed"}},
		"a locked low item of the user is out":    {[]*store.Memory{in("project", item("a.b")), in("user", item("a.b", locked, conf("low")))}, root, []string{"+project a.b", "-user a.b low"}},
		"foreign paths stand back":                {[]*store.Memory{in("project", item("a.b", globs("web/**")), item("c.d", globs("api", "cmd/*")))}, Conditions{Today: today, Folder: "cmd/x/y"}, []string{"+project c.d", "-project a.b paths"}},
		"order: pinned, confidence, day, key": {[]*store.Memory{in("project",
			item("e.key"), item("d.key"), item("c.new", day("2026-02-01")), item("b.mid", conf("medium"), day("2026-02-20")), item("a.pin", pinned, conf("medium")),
		)}, root, []string{"+project a.pin", "+project c.new", "+project d.key", "+project e.key", "+project b.mid"}},
		"a day of change counts as the day": {[]*store.Memory{in("project", item("a.old"), item("b.new", func(it *store.Item) { it.Updated = "2026-02-01" }))}, root, []string{"+project b.new", "+project a.old"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := told(Build(tt.memories, tt.on))
			if want := strings.Join(tt.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func many(prefix string, n int, changes ...func(*store.Item)) []store.Item {
	var list []store.Item
	for i := range n {
		list = append(list, item(fmt.Sprintf("%s.k%02d", prefix, i), changes...))
	}
	return list
}

func TestBuildCapsTheProfile(t *testing.T) {
	long := value(strings.Repeat("x", 930))
	for name, tt := range map[string]struct {
		memories     []*store.Memory
		project, own int
	}{
		"fifteen of the project's alone":                                 {[]*store.Memory{in("project", many("p", 30)...)}, 15, 0},
		"fifteen of the user's alone":                                    {[]*store.Memory{in("user", many("u", 30)...)}, 0, 15},
		"five are the user's while they have any":                        {[]*store.Memory{in("project", many("p", 30, pinned)...), in("user", many("u", 30, conf("medium"))...)}, 10, 5},
		"the user's two leave thirteen":                                  {[]*store.Memory{in("project", many("p", 30, pinned)...), in("user", many("u", 2)...)}, 13, 2},
		"private and user share the five":                                {[]*store.Memory{in("private", many("m", 3, conf("medium"))...), in("project", many("p", 30)...), in("user", many("u", 3, conf("medium"))...)}, 10, 5},
		"the user's take more where there is room":                       {[]*store.Memory{in("project", many("p", 3)...), in("user", many("u", 30)...)}, 3, 12},
		"nine and a half thousand bytes":                                 {[]*store.Memory{in("project", many("p", 15, long)...)}, 9, 0},
		"an agent's long bullets crowd out nothing that a person stated": {[]*store.Memory{in("private", many("a", 5, by("automatic"), long)...), in("project", many("p", 9, long)...)}, 9, 0},
		"long bullets do not crowd the user's out":                       {[]*store.Memory{in("project", many("p", 15, long, pinned)...), in("user", many("u", 5, conf("medium"), long)...)}, 4, 5},
		"one that is longer than the cap is passed by":                   {[]*store.Memory{in("project", item("a.huge", value(strings.Repeat("y", MaxBytes)), pinned), item("b.small"))}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := Build(tt.memories, Conditions{Today: today, Folder: "."})
			project, own, all := 0, 0, 0
			for _, b := range p.Bullets {
				if b.Scope == "project" {
					project++
				} else {
					own++
				}
				if !strings.Contains(p.Text, "- "+b.Key+": "+b.Text+"\n") {
					t.Errorf("%s is not whole in the text", b.Key)
				}
			}
			for _, m := range tt.memories {
				all += len(m.Items)
			}
			if project != tt.project || own != tt.own || len(p.Text) > MaxBytes {
				t.Errorf("%d of the project's, %d own, %d bytes; want %d and %d in %d", project, own, len(p.Text), tt.project, tt.own, MaxBytes)
			}
			if len(p.LeftOut)+len(p.Bullets) != all || slices.ContainsFunc(p.LeftOut, func(l LeftOut) bool { return l.Why != WhyCap }) {
				t.Errorf("not every other item is named with its reason: %v", p.LeftOut)
			}
		})
	}
}

func TestBuildFillsToTheLastByte(t *testing.T) {
	line := len("- a.b: \n")
	room := MaxBytes - len(Preamble) - len("\n\n") - line
	for name, tt := range map[string]struct {
		length, bullets int
	}{"exactly the cap": {room, 1}, "one byte more": {room + 1, 0}} {
		t.Run(name, func(t *testing.T) {
			p := Build([]*store.Memory{in("project", item("a.b", value(strings.Repeat("z", tt.length))))}, Conditions{Today: today})
			if len(p.Bullets) != tt.bullets || tt.bullets == 1 && len(p.Text) != MaxBytes {
				t.Errorf("%d bullets in %d bytes", len(p.Bullets), len(p.Text))
			}
		})
	}
}

func TestBuildMarksWhatIsDisputed(t *testing.T) {
	const mark = " (disputed: another value is recorded)"
	for name, tt := range map[string]struct {
		it   store.Item
		want bool
	}{
		"both high":                {item("a.b", rival("high", "")), true},
		"the item is medium":       {item("a.b", conf("medium"), rival("high", "")), false},
		"the other one is medium":  {item("a.b", rival("medium", "")), false},
		"the other is a machine's": {item("a.b", rival("low", "automatic")), false},
		"no other value":           {item("a.b"), false},
	} {
		t.Run(name, func(t *testing.T) {
			p := Build([]*store.Memory{in("project", tt.it)}, Conditions{Today: today})
			if len(p.Bullets) != 1 || strings.HasSuffix(p.Bullets[0].Text, mark) != tt.want {
				t.Errorf("%+v", p.Bullets)
			}
		})
	}
}

func TestTheSameMemoryGivesTheSameBytes(t *testing.T) {
	items := append(many("a", 10), many("b", 10, conf("medium"))...)
	first := Build([]*store.Memory{in("project", items...)}, Conditions{Today: today})
	slices.Reverse(items)
	again := Build([]*store.Memory{in("project", items...)}, Conditions{Today: today})
	if first.Text != again.Text || told(first) != told(again) {
		t.Errorf("got\n%s\nthen\n%s", first.Text, again.Text)
	}
	if !strings.HasPrefix(first.Text, Preamble+"\n\n- a.k00: value of a.k00\n") {
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
