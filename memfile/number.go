package memfile

import (
	"regexp"
	"strconv"
	"sync"
)

// decimal is a number that readers of YAML 1.1 and 1.2 take for the same one:
// without a leading zero, which makes octal in 1.1, and with a fraction and a
// signed exponent or none, since 1.1 takes 1e3 and -.5 for text.
var decimal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+][0-9]+)?)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
})

// sureNumber reports whether every reader takes the plain text for the same number.
func sureNumber(text string) bool {
	if !decimal().MatchString(text) || text == "-0" || text == "+0" {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil || text[len(text)-1] < '0' || text[len(text)-1] > '9'
}

// forWriting turns each number that is not sure into the string of its text, as
// which it will be written.
func (v Value) forWriting() Value {
	if v.Kind == Number && !sureNumber(v.Text) {
		return Str(v.Text)
	}
	for i, e := range v.List {
		v.List[i] = e.forWriting()
	}
	for i, f := range v.Map {
		v.Map[i].Value = f.Value.forWriting()
	}
	return v
}
