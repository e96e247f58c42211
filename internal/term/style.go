package term

// Style is one way to set text apart on a terminal.
type Style string

// The styles, by what they are for.
const (
	Strong  Style = "1"  // names and headings
	Faint   Style = "2"  // what may be skipped in reading
	Bad     Style = "31" // errors, what went
	Good    Style = "32" // what came, what is in order
	Warning Style = "33" // what changed, what to look at
)

// Paint returns text in the style where colour is true, else text itself.
func (st Style) Paint(colour bool, text string) string {
	if !colour || st == "" || text == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}
