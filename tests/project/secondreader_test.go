package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/patch"
)

// TestAnotherReaderReadsWhatMemctlWrites gives a block that memctl wrote to another YAML reader.
func TestAnotherReaderReadsWhatMemctlWrites(t *testing.T) {
	values := []any{
		"plain", "1.10", "yes", "NULL", "0123", "`tick", "a: b", "a #b", " lead", "trail ", "tab\there", "two\nlines", "quote \" and \\ and '",
		"- dash", "2026-11-21", "€ ü 漢字 \U0001F600", "\u2028\u0085", "", "[x]", "{x: y}", "&a *b !c", "%d @at", "? q", "~", "=", "<<",
		1.1, true, []any{"a, b", "c]", "d: e"}, map[string]any{"issue": "x: y", "outcome": "`z`", "fix": "w #v"},
	}
	f, problems := memfile.Parse("memories.md", []byte(memfile.Template))
	if f == nil {
		t.Fatal(problems)
	}
	doc := f.Document()
	for i, v := range values {
		var value memfile.Value
		data, err := json.Marshal(v)
		if err := errors.Join(err, json.Unmarshal(data, &value)); err != nil {
			t.Fatal(err)
		}
		doc.Items = append(doc.Items, memfile.Item{
			Key: fmt.Sprintf("a.k%02d", i), Value: value, Added: "2026-11-21",
			Labels: labels.Labels{Source: "test: source", Confidence: memfile.High, Tags: []string{"a", "b c"}},
		})
	}
	out, err := patch.Rewrite(f, doc)
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(out), "```yaml")
	_, block, _ = strings.Cut(block, "\n")
	block, _, _ = strings.Cut(block, "```\n")
	var read struct {
		Memory struct {
			Items []struct {
				Key   string
				Value any
				Tags  []string
			}
		} `yaml:"saved_memory"`
	}
	if err := yaml.Unmarshal([]byte(block), &read); err != nil || len(read.Memory.Items) != len(values) {
		t.Fatalf("%v, %d items of\n%s", err, len(read.Memory.Items), block)
	}
	for i, it := range read.Memory.Items {
		if !reflect.DeepEqual(it.Value, values[i]) || len(it.Tags) != 2 {
			t.Errorf("%s: read as %#v, want %#v", it.Key, it.Value, values[i])
		}
	}
}
