package recovery

import (
	"bytes"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
)

// rank orders confidences.
func rank(confidence string) int {
	return map[string]int{memfile.Low: 1, memfile.Medium: 2, memfile.High: 3}[confidence]
}

// checkProperties checks what must hold for the recovery of any bytes.
func checkProperties(t *testing.T, src []byte) {
	t.Helper()
	opt := Options{Today: today, Scope: "project"}
	res, err := Recover("memories.md", src, opt)
	if fault.Is(err, fault.TooLarge) {
		return
	}
	if err != nil {
		t.Fatalf("recover: %v", err)
	}
	if !res.Needed {
		if !bytes.Equal(res.Bytes, src) {
			t.Fatal("a sound file was changed")
		}
		return
	}
	checkNamed(t, src, opt, res)
	res = recoverSound(t, src, opt)
	body := outsideNotes(src)
	for _, it := range res.Document.Items {
		if rank(it.Confidence) > rank(memfile.Low) && !bytes.Contains(body, []byte(it.Confidence)) {
			t.Fatalf("%q came out with %s", it.Key, it.Confidence)
		}
		if !memfile.KeyForm(it.Key) && !bytes.Contains(body, []byte("key")) {
			t.Fatalf("key %q has not the form", it.Key)
		}
	}
	if res.Kept+res.Salvaged != len(res.Document.Items) {
		t.Fatalf("kept %d, salvaged %d, but %d items", res.Kept, res.Salvaged, len(res.Document.Items))
	}
}

// checkNamed checks the recovery of bytes that git has: it comes out the same, and each word of them that a person may miss is there.
func checkNamed(t *testing.T, src []byte, opt Options, all Result) {
	t.Helper()
	const command = "git show 12345678:memories.md"
	opt.Named = func([]byte) string { return command }
	res, err := Recover("memories.md", src, opt)
	if fault.Is(err, fault.TooLarge) {
		return
	}
	if err != nil {
		t.Fatalf("recover what git has: %v", err)
	}
	again, err := Recover("memories.md", res.Bytes, opt)
	if err != nil || again.Needed || !bytes.Equal(again.Bytes, res.Bytes) {
		t.Fatalf("recovering the result of what git has changes it: %v\n%s", err, res.Bytes)
	}
	if showAll(res.Document) != showAll(all.Document) {
		t.Fatalf("what git has comes out otherwise:\n%s\n%s", showAll(res.Document), showAll(all.Document))
	}
	if bytes.Contains(src, []byte("|||||||")) || res.Original == "" || res.Secret || slices.ContainsFunc(res.SetAside, func(a SetAside) bool { return a.Why == whyForgotten }) {
		return
	}
	if len(res.Document.Deletions) > 0 {
		return // the line of a tombstone may have what was forgotten
	}
	got := map[string]bool{}
	for _, w := range longWords(res.Bytes) {
		got[w] = true
	}
	for _, w := range longWords(regexp.MustCompile(`(?m)^(<<<<<<<|=======|>>>>>>>).*$`).ReplaceAll(outsideNotes(src), nil)) {
		if !got[w] {
			t.Fatalf("%q is nowhere in\n%s\nof %s", w, res.Bytes, src)
		}
	}
}

// longWords are the words of six letters and more, in lower case, without those of the file's form.
func longWords(src []byte) []string {
	words := regexp.MustCompile(`[a-z]{6,}`).FindAllString(strings.ToLower(string(src)), -1)
	return slices.DeleteFunc(words, func(w string) bool { return strings.Contains(form, w) })
}

// form has the words of a memory file's form.
const form = "saved_memory version updated settings enabled announce_writes deletions confidence medium source removed reason conflict"

// seeds are files to start from.
func seeds() [][]byte {
	var out [][]byte
	for _, d := range damages {
		out = append(out, []byte(d.src))
	}
	out = append(out, []byte(head+tone+tail), []byte(memfile.Template),
		[]byte("no block\n\n"+memfile.NotesHeading+"\n\n"+head+tone+tail),
		[]byte("```yaml\n"+strings.Repeat("[", 200)),
		[]byte("```yaml\nsaved_memory: &a\n  items: *a\n```\n"),
		[]byte("~~~yml\nsaved_memory: !!map {items: [{key: a, key: b}]}\n~~~"))
	return out
}

func TestPropertiesHoldForDamagedFiles(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	all := seeds()
	parts := []string{"```\n", "```yaml\n", "    - ", "\n", "  ", "`", "\"", "key: ", "deletions:\n", "items:\n", "\x00", "\xff", "# ",
		"<<<<<<< a\n", "=======\n", ">>>>>>> b\n", "\r", "\t", memfile.NotesHeading + "\n", "enabled: false\n", ": ", "confidence: high\n", "- key: a.b\n  value: c\n", "[", "{", "|", "~~~\n"}
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	for range rounds {
		src := bytes.Clone(all[rnd.Intn(len(all))])
		for range 1 + rnd.Intn(4) {
			at := rnd.Intn(len(src) + 1)
			switch rnd.Intn(3) {
			case 0:
				src = append(src[:at:at], append([]byte(parts[rnd.Intn(len(parts))]), src[at:]...)...)
			case 1:
				end := min(len(src), at+rnd.Intn(40))
				src = append(src[:at:at], src[end:]...)
			case 2:
				other := all[rnd.Intn(len(all))]
				src = append(src[:at:at], other[rnd.Intn(len(other)+1):]...)
			}
		}
		checkProperties(t, src)
		if t.Failed() {
			t.Fatalf("source: %q", src)
		}
	}
}

func FuzzRecover(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 64<<10 {
			t.Skip("size is measured elsewhere")
		}
		checkProperties(t, src)
	})
}

// FuzzResolve: whatever stands in a file with markers, what comes out of it is sound,
// and stays as it is when it is resolved again.
func FuzzResolve(f *testing.F) {
	ours, theirs := head+tone+tail, strings.Replace(head+tone+tail, "items:", "items:  ", 1)
	f.Add([]byte("<<<<<<< a\n"+ours+"=======\n"+theirs+">>>>>>> b\n"), []byte(nil))
	f.Add([]byte(head+"<<<<<<< a\n"+tone+"||||||| o\n=======\n"+strings.Replace(tone, "key: ", "key: x", 1)+">>>>>>> b\n"+tail), []byte(ours))
	f.Add([]byte(head+tone+tone+tail), []byte(nil))
	f.Fuzz(func(t *testing.T, src, base []byte) {
		if len(src)+len(base) > 32<<10 {
			t.Skip("size is measured elsewhere")
		}
		opt := Options{Today: today, Scope: "project"}
		m, _, err := Resolve("memories.md", src, [3][]byte{base}, opt)
		if err != nil {
			return
		}
		if file, problems := memfile.Parse("m", m.Bytes); file == nil {
			t.Fatalf("not sound: %v\n%q", problems, m.Bytes)
		}
		again, hunks, err := Resolve("memories.md", m.Bytes, [3][]byte{}, opt)
		if err != nil || hunks != 0 || !bytes.Equal(again.Bytes, m.Bytes) {
			t.Fatalf("resolved again: %d conflicts, %v\n%q\n%q", hunks, err, m.Bytes, again.Bytes)
		}
	})
}
