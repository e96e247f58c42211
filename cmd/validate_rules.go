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
			"Something looks like a credential. Remove it, and revoke it where it was issued, because git keeps what was committed. Remember only where the credential is stored."},
		{"personal-data", ruleError, "Sensitive data about a person",
			"A number or a statement identifies a person, or is about health, faith or the like. Leave it out. A comment next to the item can allow milder kinds, such as a phone number."},
		{"instruction-like", ruleError, "Text that tries to steer an agent",
			"Memory is data. State a preference or a rule of the project, without orders to the reader."},
		{"hidden-text", ruleError, "Text that people do not see",
			"Invisible, bidirectional or encoded characters can hide text from a reviewer. Write it in plain characters."},
		{"transcript", ruleError, "A piece of a conversation, log or program",
			"Write the lesson from it in a sentence, and leave the rest where it came from."},
		{"too-long", ruleError, "More text than an item can have",
			"Say it in one or two sentences, or keep the text in a document and remember where that is."},
		{"purged", ruleError, "A value that was purged",
			"A mark has replaced the value, and the item is withheld. Forget the item, or add a new value."},
		{"team", ruleError, "Text that the team's own rules forbid",
			"The repository's .memctl.yaml names a word or pattern that is in the item."},
		{"not-durable", ruleWarning, "Something temporary", "Memory is for things that are still true in later sessions."},
		{"not-useful", ruleWarning, "Something without use", "Memory is for what changes how somebody works."},
		{"not-specific", ruleWarning, "Something too general", "Name what it is about."},
		{"forgotten", ruleError, "An item that was forgotten",
			"The key has a tombstone of the item's day or later, so the item is withheld. Remove one of the two with memctl forget or memctl add."},
	}
}

func formRules() []ruleHelp {
	const mend = " memctl recover repairs the file and keeps everything."
	return []ruleHelp{
		{"conflict-markers", ruleError, "Markers of a merge conflict", "The file was committed in the middle of a merge. memctl resolve merges both sides." + mend},
		{"no-block", ruleError, "No YAML block", "A memory file has one fenced YAML block at the top level of its Markdown." + mend},
		{"several-blocks", ruleError, "More than one YAML block", "A memory file has exactly one." + mend},
		{"unclosed-fence", ruleError, "The block's fence is never closed", "Close it with a line of three backticks." + mend},
		{"stray-items", ruleError, "Memory below the block", "Items after the closing fence are not read." + mend},
		{"yaml-syntax", ruleError, "Not YAML", "Often a value begins with a character that has a meaning in YAML. Quote the value." + mend},
		{"yaml-duplicate", ruleError, "A field twice in one map", "YAML readers differ in which of the two they use." + mend},
		{"yaml-feature", ruleError, "YAML that memory files do not use", "memctl does not read anchors, aliases, tags, directives and several documents." + mend},
		{"invalid-encoding", ruleError, "Not UTF-8", "The block contains bytes that are not text." + mend},
		{"nul-bytes", ruleError, "NUL bytes in the file", "A shell appended a line in UTF-16, which memctl does not read. Write the line again in UTF-8."},
		{"too-deep", ruleError, "Lists and maps nested too deep", "An item should be a line or two." + mend},
		{"too-large", ruleError, "The file or its block is too large", "Move everything that is not memory to another file."},
		{"shape", ruleError, "A block of the wrong shape", "memctl schema prints what the block looks like." + mend},
		{"item-shape", ruleError, "An entry that is not an item", "An item is a map with a key." + mend},
		{"tombstone-shape", ruleError, "An entry that is not a deletion", "A deletion is a map with a key or a value." + mend},
		{"section-name", ruleError, "A part of the block with an unknown name", "The parts are items and deletions. The switches enabled and announce_writes belong under settings." + mend},
		{"field-type", ruleError, "A field of the wrong type", "memctl schema prints the type of each field."},
		{"setting-type", ruleError, "A switch that is neither true nor false", "It counts as false until it is true or false."},
		{"confidence", ruleError, "An unknown confidence", "Use low, medium or high."},
		{"duplicate-key", ruleError, "Two items with one key", "The next memctl add or memctl forget of the key resolves this."},
		{"newer-version", ruleWarning, "A file of a newer format", "This memctl can read it but not write it."},
		{"unknown-field", ruleWarning, "An unknown field", "memctl keeps it. Its name may be misspelt."},
		{"field-missing", ruleWarning, "A field is missing", "An item needs value, added, source and confidence."},
		{"field-empty", ruleWarning, "A path or command that is empty", "A glob must name a command or a folder. Remove the empty one."},
		{"field-day", ruleWarning, "An invalid day", "A day must have the form 2006-01-02."},
		{"key-form", ruleWarning, "A key of the wrong form", "A key needs two or more parts of letters, digits, - and _, separated by dots, such as writing.tone."},
		{"low-unconfirmed", ruleWarning, "An item of low confidence without its tag", "memctl doubt KEY sets the tag needs-confirmation."},
		{"deletions-misplaced", ruleWarning, "Deletions inside saved_memory", "They belong next to it, without indentation."},
		{"not-a-memory-file", ruleWarning, "Another page with the name memories.md", "It contains no memory. memctl recover turns it into a memory file."},
		{"not-a-file", ruleError, "Not a regular file", "memctl does not read links, folders and devices."},
		{"team-file", ruleError, "A .memctl.yaml with errors", "Until they are fixed, new memory waits for review and the protected branches stay protected."},
	}
}

func changeRules() []ruleHelp {
	return []ruleHelp{
		{"tombstone-dropped", ruleWarning, "Forgotten memory may come back", "The entry in deletions is missing. Put it back."},
		{"resurrected", ruleWarning, "A forgotten item is back", "Only a person can restore one, with memctl restore or memctl add."},
		{"gone-without-tombstone", ruleWarning, "An item is missing without a tombstone", "Agents may learn it again. Use memctl forget, which leaves a tombstone."},
		{"confidence-raised", ruleWarning, "More confidence without a person", "Only a person can raise it, with memctl confirm."},
	}
}
