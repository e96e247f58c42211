package policy

// The kinds of personal data that are a nuisance more than a danger: held where
// the memory is a person's own, refused where it is shared.
const (
	kindPhone   = "phone"
	kindAddress = "street-address"
	kindEmail   = "email"
)

func mild(kind string) bool { return kind == kindPhone || kind == kindAddress || kind == kindEmail }

// personal rules on data about people: numbers that identify or pay, facts that
// can be held against somebody, and ways to reach them.
func (j *judge) personal(p *part) {
	if p.digit {
		for _, kind := range numbers(p) {
			j.person(kind, p.where)
		}
		if phone(p) {
			j.person(kindPhone, p.where)
		}
		if address(p) {
			j.person(kindAddress, p.where)
		}
	}
	if privateEmail(p) {
		j.person(kindEmail, p.where)
	}
}

func (j *judge) person(kind, where string) {
	f := Finding{
		Rule: RulePersonal, Kind: kind, Where: where, Verdict: Refuse,
		Message: "holds personal data (" + kind + "); memory is no place for it",
		Hint:    "leave it out, or name the place where it is kept",
	}
	if mild(kind) {
		f.Message = "holds personal data (" + kind + "), which everybody with the repository would read"
		f.Hint = "leave it out, or keep it in the private or user scope"
		if j.c.Scope == scopeStore {
			f.Message = "holds personal data (" + kind + "), which everybody with the folder would read"
			f.Hint = "leave it out, or keep it in a store of your own, without --store"
		}
		if !j.shared() {
			f.Verdict = Hold
			f.Message = "holds personal data (" + kind + "); keep it only if you want it remembered"
			f.Hint = "memctl review"
		}
	}
	j.add(f)
}
