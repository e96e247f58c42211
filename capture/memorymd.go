package capture

// memoryMD reads a MEMORY.md that an agent or a person kept by hand: list items
// become entries, categories come from the headings, tags from the headings and
// from technical words. Its statements were meant as memory, so a plain one is
// as good as a rule.
func (r *reading) memoryMD(f File) {
	_, body, first := frontMatter(string(f.Data))
	p := page{reading: r, lexicon: true, personal: true, sure: true}
	r.head(first, "it describes the file")
	p.read(r.scan(body, first))
}
