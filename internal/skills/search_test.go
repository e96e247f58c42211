package skills

import (
	"math"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/skills/format"
)

func all(Skill) bool { return true }

func named(names ...string) (list []Skill) {
	for _, n := range names {
		name, description, _ := strings.Cut(n, ":")
		list = append(list, Skill{Head: format.Head{Name: name, Description: description}})
	}
	return list
}

// TestSearchIsBM25 works one score out by hand: k1 1.2, b 0.75, words of one letter left out.
func TestSearchIsBM25(t *testing.T) {
	list := named("pdf:Read a PDF file", "xlsx:Read spreadsheets", "deploy:Deploy to staging")
	hits := Search(list, "PDF!", nil, all)
	if len(hits) != 1 || hits[0].Name != "pdf" {
		t.Fatalf("%+v", hits)
	}
	idf := math.Log((3-1+0.5)/(1+0.5) + 1)
	want := idf * 2 * 2.2 / (2 + 1.2*(1-0.75+0.75*4/(11.0/3)))
	if math.Abs(hits[0].Score-want) > 1e-9 {
		t.Errorf("score %v, want %v", hits[0].Score, want)
	}
}

func TestSearchWithVectors(t *testing.T) {
	list := named("pdf:Read PDF files", "xlsx:Read spreadsheets")
	if hits := Search(list, "pdf", []float64{0.1, 0.9}, all); len(hits) != 2 || hits[0].Name != "xlsx" || math.Abs(hits[0].Score-0.63) > 1e-9 || math.Abs(hits[1].Score-0.37) > 1e-9 {
		t.Errorf("words 0.3 and vectors 0.7: %+v", hits)
	}
	if hits := Search(list, "tables", []float64{0.1, 0.9}, all); len(hits) != 2 || hits[0].Score != 0.9 {
		t.Errorf("vectors alone: %+v", hits)
	}
}

func TestAvailable(t *testing.T) {
	few := named("pdf:Read <PDF> files & more")
	if text := Available(Library{Skills: few}, false); !strings.Contains(text, "<description>Read &lt;PDF&gt; files &amp; more</description>") || !strings.Contains(text, "</available_skills>") {
		t.Errorf("a list: %s", text)
	}
	var many []Skill
	for range 20 {
		many = append(many, few...)
	}
	if !Fits(many) || Fits(append(many, few...)) {
		t.Error("20 skills fit, and 21 do not")
	}
	if long := named("a:" + strings.Repeat("x", 4*3500+3-1)); !Fits(long) || Fits(named("a:"+strings.Repeat("x", 4*3500+3))) {
		t.Error("3,500 tokens fit, and 3,501 do not")
	}
	if text := Available(Library{Skills: append(many, few...)}, true); text != SearchLine(true) || !strings.Contains(text, "skill_search") {
		t.Errorf("the search: %s", text)
	}
	if Available(Library{}, false) != "" {
		t.Error("no skills are something")
	}
}
