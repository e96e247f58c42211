// Package similar tells whether two memories are one: whether a key is another key
// misspelled, and whether two texts are equal but for words that say nothing.
package similar
