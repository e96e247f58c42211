package capture

// The kinds of rows.
const (
	partFront   = "front matter"
	partHeading = "heading"
	partText    = "paragraph"
	partItem    = "list item"
	partTable   = "table"
	partCode    = "code block"
	partQuote   = "quotation"
	partComment = "comment"
	partHTML    = "HTML block"
	partRule    = "horizontal line"
	partOurs    = "memctl part"
	partFile    = "file"
	partRecord  = "record"
)

// The reasons why a row is no memory, beside those of its kind.
const (
	whyLabel   = "it introduces what follows"
	whyAlone   = "nothing below it is imported"
	whyWhere   = "it says where the rules below apply"
	whyFile    = "it describes the file"
	whyCopy    = "the same is in another file"
	whyDeleted = "it was deleted"
	whyNone    = "it contains no memory"
	whyText    = "it has no text"
	whyBroken  = "it is damaged"
)

// whyNoMemory is why a row of the kind is no memory, where nothing else says it.
func whyNoMemory(kind string) string {
	switch kind {
	case partHeading:
		return "it names the memories below it"
	case partCode:
		return "code stays in the file"
	case partComment:
		return "it is a comment"
	case partOurs:
		return "memctl wrote it"
	}
	return whyText
}

// isHiddenKind reports whether a row of the kind is not listed if it is no memory.
func isHiddenKind(kind string) bool {
	return kind == partHeading || kind == partComment || kind == partRule || kind == partHTML
}
