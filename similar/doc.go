// Package similar tells whether two memories are one: whether a key is another key
// misspelled, and whether two texts state the same rule in other words, or contradict each other.
//
// The tests prefer to miss a repeat: memctl refuses an agent's write for their sake, and a
// wrong refusal costs more than a second item. They know English. A text in another language
// matches only where its words are the same.
package similar
