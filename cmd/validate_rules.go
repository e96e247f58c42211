package cmd

// ruleHelp says what one rule of validate looks for. The level is the one that
// it mostly has; a finding can have another.
type ruleHelp struct{ name, level, short, help string }

const (
	ruleError   = "error"
	ruleWarning = "warning"
)

// validateRules lists the rules of validate: of the policy, of the file's form,
// and of what goes wrong between two versions.
func validateRules() []ruleHelp {
	return append(policyRules(), append(formRules(), changeRules()...)...)
}

func policyRules() []ruleHelp {
	return []ruleHelp{
		{"secret", ruleError, "A secret in the file",
			"Something has the form of a credential. Take it out, make it invalid where it was issued, for git keeps what was committed, and remember only where it is kept."},
		{"personal-data", ruleError, "Sensitive data about a person",
			"A number or statement that identifies a person or tells of health, faith and the like. Leave it out. A milder kind, such as a phone number, can be allowed by a comment beside the item."},
		{"instruction-like", ruleError, "Text that tries to steer an agent",
			"Memory is data. Say what holds as a preference or a rule of the project, without orders to whoever reads it."},
		{"hidden-text", ruleError, "Text that people do not see",
			"Invisible, bidirectional or encoded characters can hide text from a reviewer. Write it in plain characters."},
		{"transcript", ruleError, "A piece of a conversation, log or program",
			"Keep what it taught in a sentence, and the rest where it came from."},
		{"too-long", ruleError, "More text than an item holds",
			"Say it in one or two sentences, or keep the text in a document and remember where that is."},
		{"purged", ruleError, "A value that was purged",
			"A mark stands in its place, and is withheld. Forget the item, or say anew what holds."},
		{"team", ruleError, "What the team's own rules keep out",
			"The repository's .memctl.yaml names a word or pattern that is in the item."},
		{"not-durable", ruleWarning, "Something that will not last", "Memory is for what still holds in another session."},
		{"not-useful", ruleWarning, "Something that helps nobody", "Memory is for what changes how somebody works."},
		{"not-specific", ruleWarning, "Something that could be said of anything", "Name what it is about."},
		{"forgotten", ruleError, "An item that was forgotten",
			"The key has a tombstone of the item's day or later, so the item is withheld. Take one of the two out, with memctl forget or memctl add."},
	}
}

func formRules() []ruleHelp {
	const mend = " memctl recover makes a sound file of it and keeps everything."
	return []ruleHelp{
		{"conflict-markers", ruleError, "Markers of a merge conflict", "The file was committed in the middle of a merge. memctl resolve merges both sides." + mend},
		{"no-block", ruleError, "No YAML block", "A memory file has one fenced YAML block at the top level of its Markdown." + mend},
		{"several-blocks", ruleError, "More than one YAML block", "A memory file has exactly one." + mend},
		{"unclosed-fence", ruleError, "The block's fence is never closed", "Close it with a line of three backticks." + mend},
		{"stray-items", ruleError, "Memory below the block", "Items after the closing fence are not read." + mend},
		{"yaml-syntax", ruleError, "Not YAML", "Often one value begins with a character that YAML gives a meaning to: quote it." + mend},
		{"yaml-duplicate", ruleError, "A field twice in one map", "Readers differ in which of them they take." + mend},
		{"yaml-feature", ruleError, "YAML that memory files do without", "Anchors, aliases, tags, directives and several documents are not read." + mend},
		{"invalid-encoding", ruleError, "Not UTF-8", "The block holds bytes that are no text." + mend},
		{"nul-bytes", ruleError, "NUL bytes in the file", "A shell appended a line in UTF-16, which is not read. Write it anew in UTF-8."},
		{"too-deep", ruleError, "Lists and maps too deep inside each other", "An item is a line or two." + mend},
		{"too-large", ruleError, "The file or its block is too large", "Move what is no memory to another file."},
		{"shape", ruleError, "A block of another shape", "memctl schema prints what the block looks like." + mend},
		{"item-shape", ruleError, "An entry that is no item", "An item is a map with a key." + mend},
		{"tombstone-shape", ruleError, "An entry that is no deletion", "A deletion is a map with a key or a value." + mend},
		{"section-name", ruleError, "A part of the block under a name that is not read", "The parts are items and deletions; the switches, enabled and announce_writes, stand under settings." + mend},
		{"field-type", ruleError, "A field of another type", "memctl schema prints what each field holds."},
		{"setting-type", ruleError, "A switch that is neither true nor false", "It counts as false until it is one of them."},
		{"confidence", ruleError, "A confidence that is none", "It is low, medium or high."},
		{"duplicate-key", ruleError, "Two items of one key", "The next memctl add or memctl forget of the key settles them."},
		{"newer-version", ruleWarning, "A file of a later format", "This memctl reads it and does not write it."},
		{"unknown-field", ruleWarning, "A field that means nothing here", "It is kept. Perhaps its name is misspelt."},
		{"field-missing", ruleWarning, "A field is missing", "An item has value, added, source and confidence."},
		{"field-empty", ruleWarning, "A path or command that is empty", "A glob names a command or a folder. Take the empty one out."},
		{"field-day", ruleWarning, "A day that is none", "Days have the form 2006-01-02."},
		{"key-form", ruleWarning, "A key of another form", "A key has two or more parts of letters, digits, - and _, with dots between, such as writing.tone."},
		{"low-unconfirmed", ruleWarning, "A low item without its tag", "memctl doubt KEY sets the tag needs-confirmation."},
		{"deletions-misplaced", ruleWarning, "Deletions inside saved_memory", "They stand beside it, at the margin."},
		{"not-a-memory-file", ruleWarning, "Somebody's page called memories.md", "Nothing in it is memory. memctl recover makes a memory file of it."},
		{"not-a-file", ruleError, "No regular file", "Links, folders and devices are not read."},
		{"team-file", ruleError, "A .memctl.yaml that cannot be read as it stands", "Until it can, new memory waits for review and its branches count as protected."},
	}
}

func changeRules() []ruleHelp {
	return []ruleHelp{
		{"tombstone-dropped", ruleWarning, "What was forgotten may come back", "The entry in deletions is gone. Put it back."},
		{"resurrected", ruleWarning, "A forgotten item is back", "Only a person brings one back: memctl restore or memctl add."},
		{"gone-without-tombstone", ruleWarning, "An item is gone without a trace", "Agents may learn it again. memctl forget leaves a tombstone."},
		{"confidence-raised", ruleWarning, "More confidence without a person", "memctl confirm, by a person, raises it."},
	}
}
