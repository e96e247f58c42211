package policy

import (
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy/chars"
	"github.com/memctl/memctl/policy/secret"
)

// checkTogether rules on what only shows when strings are read as one: a name and
// its value, a secret split over a list.
func (j *judge) checkTogether() {
	if j.hasFinding(RuleSecret) {
		return
	}
	if isScalar(j.c.Value) {
		if j.c.Key == "" || !secret.NamesSecret(&j.texts[0]) {
			return
		}
		j.checkPair(j.c.Key, j.c.Value.Text, "value")
		return
	}
	j.checkPairs(j.c.Key, j.c.Value, "value")
	j.checkJoined(scalarTexts(j.c.Value))
}

func (j *judge) hasFinding(rule string) bool {
	for _, f := range j.findings {
		if f.Rule == rule {
			return true
		}
	}
	return false
}

// checkPair rules on a value in the light of its name: neither need be telling alone.
func (j *judge) checkPair(name, value, where string) {
	if name == "" || value == "" || len(value) > 512 || !isSecretName(name) {
		return
	}
	line := chars.NewPart(where, lastName(name)+": "+value)
	words := strings.ContainsAny(value, " \t\n")
	for _, h := range secret.Find(&line, nil) {
		// Of a sentence below such a key, only a phrase and nothing else is
		// taken for the secret itself.
		if !words || h.Kind == "passphrase" {
			j.addFinding(secretFinding(h.Kind, where))
		}
	}
}

func isSecretName(name string) bool {
	p := chars.NewPart("", name)
	return secret.NamesSecret(&p)
}

// lastName is the part of a key that says what its value is: the last one, or the
// one before words that only say where it is used.
func lastName(key string) string {
	for {
		k := strings.LastIndexByte(key, '.')
		last := key[k+1:]
		if k < 0 || isSecretName(last) || !secret.IsQualifier(chars.LowerASCII(last)) {
			return last
		}
		key = key[:k]
	}
}

func (j *judge) checkPairs(name string, v memfile.Value, where string) {
	switch v.Kind {
	case memfile.List:
		for i, e := range v.List {
			j.checkPairs(name, e, where+indexText(i))
		}
	case memfile.Map:
		for i, f := range v.Map {
			j.checkPairs(f.Name, f.Value, memfile.FieldPlace(where, i, f.Name))
		}
	default:
		j.checkPair(name, v.Text, where)
	}
}

// checkJoined rules on strings written without anything between them.
func (j *judge) checkJoined(s string) {
	if len(s) < 16 || strings.Contains(s, " ") && !strings.Contains(s, "BEGIN") {
		return
	}
	p := chars.NewPart("value", s)
	hits := secret.FindStructured(secret.FindShaped(nil, s), &p)
	for _, h := range hits {
		j.addFinding(secretFinding(h.Kind, "value"))
		return
	}
}

// scalarTexts are the scalars alone, without the names of maps.
func scalarTexts(v memfile.Value) string {
	text := v.Text
	for _, e := range v.List {
		text += scalarTexts(e)
	}
	for _, f := range v.Map {
		text += scalarTexts(f.Value)
	}
	return text
}
