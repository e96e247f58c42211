package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Parse reads a model's answer strictly: one JSON value of the schema and nothing else. A code
// fence around the whole answer counts as nothing. Errors name what is wrong and repeat nothing
// of the answer.
func Parse(text string, schema json.RawMessage) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		if inner, ok = strings.CutSuffix(inner, "```"); ok {
			inner = strings.TrimPrefix(inner, "json")
			text = strings.TrimSpace(inner)
		}
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, errors.New("it is not JSON")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it has text after the JSON")
	}
	var form form
	if err := json.Unmarshal(schema, &form); err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	if err := form.fits("the value", value); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// form is the part of JSON Schema that requests use and answers are held to: type, properties, required, items and enum.
// Servers that enforce schemas know these, and not all others. A name that the schema does not have is passed over.
type form struct {
	Type       string          `json:"type"`
	Properties map[string]form `json:"properties"`
	Required   []string        `json:"required"`
	Items      *form           `json:"items"`
	Enum       []string        `json:"enum"`
}

// fits checks a value; at names its place.
func (f form) fits(at string, value any) error {
	switch value := value.(type) {
	case map[string]any:
		return f.fitsObject(at, value)
	case []any:
		for i, element := range value {
			if f.Items == nil {
				break
			}
			if err := f.Items.fits(fmt.Sprintf("%s[%d]", at, i), element); err != nil {
				return err
			}
		}
		return f.is(at, "array")
	case string:
		if f.Type == "array" && f.Items != nil && f.Items.Type == "string" && f.Items.Enum == nil {
			return nil // one text in place of a list of them
		}
		if len(f.Enum) > 0 && !slices.Contains(f.Enum, value) {
			return fmt.Errorf("%s is not one of %s", at, strings.Join(f.Enum, ", "))
		}
		return f.is(at, "string")
	case json.Number:
		if _, err := value.Int64(); err != nil || f.Type == "number" {
			return f.is(at, "number")
		}
		return f.is(at, "integer")
	case bool:
		return f.is(at, "boolean")
	}
	return f.is(at, "null")
}

func (f form) fitsObject(at string, value map[string]any) error {
	for _, name := range f.Required {
		if _, ok := value[name]; !ok {
			return fmt.Errorf("%s has no %q", at, name)
		}
	}
	for name, inner := range value {
		if known, ok := f.Properties[name]; ok {
			if err := known.fits(fmt.Sprintf("%q", name), inner); err != nil {
				return err
			}
		}
	}
	return f.is(at, "object")
}

func (f form) is(at, kind string) error {
	if f.Type != "" && f.Type != kind {
		return fmt.Errorf("%s is not of type %s", at, f.Type)
	}
	return nil
}
