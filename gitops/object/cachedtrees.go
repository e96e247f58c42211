package object

// largeTree is the number of bytes from which the names of a tree are indexed,
// where many of them are looked up: some hundreds of files.
const largeTree = 16 << 10

// cachedTrees reads each commit and tree once.
type cachedTrees struct {
	Reader
	known map[string][]byte
	names map[string]map[string]Item // by name, of each large tree that was looked at before
}

// WithTreeCache reads each commit and tree once, for many lookups.
func WithTreeCache(o Reader) Reader {
	return cachedTrees{Reader: o, known: map[string][]byte{}, names: map[string]map[string]Item{}}
}

// entry is treeEntry for a large tree.
func (c cachedTrees) entry(tree string, data []byte, name string) (mode, id string) {
	switch known, before := c.names[tree]; {
	case !before: // one name alone is found sooner without an index
		c.names[tree] = nil
		return treeEntry(data, name, len(tree)/2)
	case known == nil:
		c.names[tree] = map[string]Item{}
		items, _ := ParseTree(data, len(tree)/2) // as far as it can be read
		for _, i := range items {
			c.names[tree][i.Name] = i
		}
	}
	return c.names[tree][name].Mode, c.names[tree][name].ID
}

func (c cachedTrees) Read(id string) (string, []byte, error) {
	if data, ok := c.known["tree "+id]; ok {
		return "tree", data, nil
	}
	if data, ok := c.known["commit "+id]; ok {
		return "commit", data, nil
	}
	kind, data, err := c.Reader.Read(id)
	if err == nil && kind != "blob" {
		c.known[kind+" "+id] = data
	}
	return kind, data, err
}
