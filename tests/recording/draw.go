package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

const (
	columns    = 96  // characters on a line; longer ones go on below
	rowHeight  = 22  // pixels
	charWidth  = 8.4 // pixels of one character at the font size
	margin     = 20  // pixels around the text
	whoColumns = 8   // for the name of who speaks
)

// row is one printed row: a line, or the rest of one.
type row struct {
	who, text, class string
	at               float64 // seconds from the beginning
}

// draw gives the lines as an SVG whose rows appear one after the other, and which begins anew at the end. Where
// nothing moves, all rows show.
func draw(lines []line) []byte {
	var rows []row
	at := 0.0
	for _, l := range lines {
		who, class := l.who, "out"
		switch {
		case who == "" && strings.HasPrefix(l.text, "+"):
			class = "new"
		case who == "" && l.text != "" && !strings.Contains(l.text, ":"):
			class = "head"
		case who == "memctl":
			class = "told"
		case who != "":
			class = "said"
		}
		for i, text := range wrap(l.text, columns-whoColumns) {
			if i > 0 {
				who = ""
			}
			rows = append(rows, row{who, text, class, at})
		}
		at += l.rest
	}
	var b bytes.Buffer
	width, height := columns*84/10+2*margin, len(rows)*rowHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" role="img">`+"\n", width, height, width)
	b.WriteString("<title>A person says a rule to one agent; memctl commits it as lines of memories.md, and tells another agent before it breaks the rule</title>\n")
	b.WriteString(`<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}` +
		`.head{fill:#8b949e}.said{fill:#e6edf3}.told{fill:#79c0ff}.out{fill:#c9d1d9}.new{fill:#7ee787}.who{fill:#8b949e}</style>` + "\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#0d1117"/>`+"\n", width, height)
	for i, r := range rows {
		if r.text == "" {
			continue
		}
		y := margin + (i+1)*rowHeight - 7
		fmt.Fprintf(&b, `<g>`)
		if r.at > 0 {
			fmt.Fprintf(&b, `<animate attributeName="opacity" calcMode="discrete" values="0;1" keyTimes="0;%.4f" dur="%.1fs" repeatCount="indefinite"/>`, r.at/at, at)
		}
		if r.who != "" {
			fmt.Fprintf(&b, `<text class="who" x="%d" y="%d">%s</text>`, margin, y, escaped(r.who))
		}
		fmt.Fprintf(&b, `<text class="%s" x="%.0f" y="%d">%s</text></g>`+"\n", r.class, margin+whoColumns*charWidth, y, escaped(r.text))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// wrap breaks a text at spaces into rows of at most most characters; a longer word stands alone.
func wrap(text string, most int) (rows []string) {
	if len(text) <= most {
		return []string{text}
	}
	now := ""
	for _, word := range strings.Fields(text) {
		if now != "" && len(now)+1+len(word) > most {
			rows, now = append(rows, now), ""
		}
		now = strings.TrimPrefix(now+" "+word, " ")
	}
	return append(rows, now)
}

func escaped(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}
