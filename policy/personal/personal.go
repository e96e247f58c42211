// Package personal finds data about people: numbers that identify or pay, and ways to reach
// somebody.
package personal

// The kinds of personal data that are a nuisance more than a danger: held where
// the memory is a person's own, refused where it is shared.
const (
	KindPhone   = "phone"
	KindAddress = "street-address"
	KindEmail   = "email"
)

// IsMild reports whether data of the kind is a nuisance more than a danger.
func IsMild(kind string) bool { return kind == KindPhone || kind == KindAddress || kind == KindEmail }
