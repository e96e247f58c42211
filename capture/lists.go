package capture

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/capture/keys"
)

// minRule is how many words a numbered item has at least that is a rule of its own, and no name.
const minRule = 3

// list reads a run of list items: those at the outermost column with what
// stands below each.
func (p *page) list(items []block) {
	if items[0].ordered && p.steps(items) {
		return
	}
	label := p.lead
	for i, number := 0, 1; i < len(items); number++ {
		end := i + 1
		for end < len(items) && items[end].level > items[i].level {
			end++
		}
		top := items[i]
		if top.ordered {
			top.text = strconv.Itoa(number) + ". " + top.text // rules stay in their order
		}
		p.tree(top, items[i+1:end], label)
		i = end
	}
}

// steps makes one entry of a numbered list, in its order: a step says nothing without those around it. It reports
// whether the list is short enough for that. A list whose items all have labels, "1. Size: small", has no steps, nor has one of
// sentences most of which order nothing, unless its heading is about an order.
func (p *page) steps(items []block) bool {
	head := p.lead
	if head == "" {
		head = p.topic()
	}
	if len(head) > maxLabel {
		head = ""
	}
	var text, about strings.Builder
	var parts []int
	count, below, named, orders := 0, 0, 0, 0
	rules := p.lead == "" && !containsAny(head, "step", "flow", "process", "procedure", "order", "priorit", "phase", "pipeline", "how to") // of which each says something alone
	for i, it := range items {
		if i == len(items)-1 {
			it = it.alone()
		}
		step, code, read := withCode(it)
		parts = append(parts, it.parts...)
		if read {
			parts = append(parts, it.inCode...)
		}
		top := it.level <= items[0].level
		rules = rules && top
		switch {
		case top && !it.ordered:
			return false
		case top:
			count, below = count+1, 0
			if label, _ := labelled(step); label != "" {
				named++
			}
			rules = rules && len(strings.Fields(step)) >= minRule
			if strings.HasPrefix(it.text, "`") {
				orders++
			}
			if count > 1 && !strings.ContainsAny(text.String()[text.Len()-1:], "!?") {
				text.WriteByte('.')
			}
			text.WriteString(strings.Repeat(" ", min(1, count-1)) + strconv.Itoa(count) + ". ")
		case below == 0 && it.level > items[0].level:
			below++
			if !strings.HasSuffix(text.String(), ":") {
				text.WriteByte(':')
			}
			text.WriteByte(' ')
		default:
			text.WriteString(", ")
		}
		text.WriteString(strings.TrimRight(step, ";.") + code)
		about.WriteString(strings.TrimRight(step, ".;:") + ". ")
	}
	if count < 2 || named == count || rules && 2*orders < count || len(head)+text.Len() > maxSteps {
		return false
	}
	subject := about.String()
	if p.lead != "" && p.lead == head && keys.Words(head) > 1 {
		subject = head
	}
	p.emit(parts, items[0].line, head, text.String(), subject)
	return true
}

// withCode is the text of a list item, and the code below it where that is short.
// It reports whether the code is in it.
func withCode(it block) (text, code string, read bool) {
	text = plainInline(it.text)
	size := 0
	for _, line := range it.code {
		size += len(line) + 3
	}
	if len(it.code) == 0 || len(it.code) > 4 || size > maxCode || strings.Contains(strings.Join(it.code, ""), "`") {
		return text, "", false
	}
	return text, " `" + strings.Join(it.code, "`, `") + "`", true
}

// alone is a list item without the code that follows its list.
func (b block) alone() block {
	b.code, b.inCode = b.code[:b.late], b.inCode[:b.lateIn]
	return b
}

// tree reads one list item with those below it. A label that ends with a colon
// is read together with its list where that is short, else repeated before each.
func (p *page) tree(top block, below []block, label string) {
	top = top.alone()
	text, code, read := withCode(top)
	parts := top.parts
	if read {
		text, parts = text+code, slices.Concat(parts, top.inCode)
	}
	open := strings.HasSuffix(text, ":")
	switch {
	case open && len(below) == 0:
		p.leave(parts, "nothing that import reads follows it")
		return
	case open && p.joined(top, text, below, label):
		return
	case !open && isNavigation(top.text):
		p.leave(parts, "it is a link to another page")
	case !open:
		p.emit(parts, top.line, label, text, text)
	}
	if len(below) == 0 {
		return
	}
	inner := strings.TrimSuffix(text, ":")
	if open && label != "" && len(label)+len(inner) < maxLabel {
		inner = label + ": " + inner
	}
	lead, leads := p.lead, p.leads
	p.leadBy(inner, slices.Concat(parts, leads))
	if len(inner) > maxLabel {
		p.lead = ""
	}
	for i := 0; i < len(below); {
		end := i + 1
		for end < len(below) && (below[end].level > below[i].level || below[end].ordered == below[i].ordered) {
			end++
		}
		p.list(below[i:end])
		i = end
	}
	p.leadBy(lead, leads)
}

// joined makes one entry of a label and the short list below it.
func (p *page) joined(top block, text string, below []block, label string) bool {
	list := make([]string, 0, len(below))
	size := len(text)
	parts := top.parts
	for _, b := range below {
		item := plainInline(b.text)
		if b.level > below[0].level || b.code != nil || b.ordered || strings.HasSuffix(item, ":") || strings.Contains(item, "; ") {
			return false
		}
		size += len(item) + 2
		list = append(list, strings.TrimRight(item, ".;"))
		parts = slices.Concat(parts, b.parts)
	}
	if size > maxJoined {
		return false
	}
	own := text + " " + strings.Join(list, "; ")
	p.emit(parts, top.line, label, own, own)
	return true
}
