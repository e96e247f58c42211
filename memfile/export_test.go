package memfile

// ByParts reports whether the version is told by its parts.
func (w *Was) ByParts() bool { return w.frame != nil }

// Parsed is how many items and frames were parsed.
func (p *Past) Parsed() (items, frames int) { return len(p.items), len(p.frames) }
