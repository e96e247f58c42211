// Package policy rules on what may be stored and shown. It is pure: no disk,
// no clock, no network; the same candidate always gets the same ruling.
//
// Words. A candidate is something proposed for memory, or an item that stands
// in a file. A ruling is the answer: a verdict and the findings that led to
// it. A finding is one reason, at one place; it names rule, kind, place and way
// out, and never repeats the text it is about, because that text may be a
// secret.
//
// Rules are data: tables of shapes (shapes.txt), of names that tell of a secret (rules.txt, services.txt), of phrases
// (phrases.txt, orders.txt, worth.txt) and of markup (markup.txt), of transcripts and of addresses, read by small mechanisms
// beside them. Whoever changes what a rule says changes a table, a case in testdata and the constant revision, which keys
// caches of verdicts; a test holds them to it.
package policy
