package similar

import (
	"strings"
	"sync"
)

// denied is the turn of a word that must not be.
const denied = "not"

// turns are the words that limit the word after them.
var turns = sync.OnceValue(func() map[string]string {
	return table(`
not=not,never,no,avoid,without,cannot,instead,rather,than,over,neither,nor,dont,forbidden
before=before,prior,until,till
after=after,afterwards
when=when,whenever,if,while,during
except=unless,except,but,outside,besides
only=only,solely,exclusively
may=may,might,can,could,optionally
into=into,onto
from=from`)
})

// synonyms brings words that developers use for one thing, and forms that no rule for
// endings knows, together.
var synonyms = sync.OnceValue(func() map[string]string {
	return table(`
repository=repo,repos,repositories directory=dir,dirs,folder,folders documentation=doc,docs,documentations
configuration=config,configs,cfg dependency=dep,deps,dependencies pr=prs,mr,mrs environment=env,envs
application=app,apps message=msg,msgs javascript=js typescript=ts parameter=param,params argument=arg,args
delete=remove,deletes,deleted,deleting,removes,removed,removing start=begin,starts,started,begins
build=built write=written,wrote send=sent choose=chosen break=broken throw=thrown show=shown catch=caught find=found
under=below underneath=beneath color=colour,colors,colours behaviour=behavior,behaviors,behaviours
database=db,databases authentication=auth function=func,funcs manually=hand error=err,errs
1=one 2=two 3=three 4=four 5=five 6=six 7=seven 8=eight 9=nine 10=ten 12=twelve`)
})

// isSynonym tells the stems that may stand for another word.
var isSynonym = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, w := range synonyms() {
		out[stem(w)] = true
	}
	return out
})

// filler are words that change nothing about what a rule says. Most rules are about using,
// running or keeping something, so these verbs do not tell two rules apart.
var filler = sync.OnceValue(func() map[string]bool {
	return set(`a an the this that these those there here it its it's
of in on at by for with to as so also too then via per through about upon
is are be been being was were am has have having had do does did done
must should shall will would ought need needs needed require requires required
always every each whole full entire generally usually just simply
i we you they he she our your their his her my me them one's people everyone anyone
please sure ensure ensures
use used uses using usage run runs running ran
keep keeps kept keeping prefer prefers preferred preferably follow follows belong belongs stay stays
take takes taken put puts add adds added`)
})

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// table reads "word=other,other" as what each of them stands for.
func table(lines string) map[string]string {
	out := map[string]string{}
	for entry := range strings.FieldsSeq(lines) {
		word, others, _ := strings.Cut(entry, "=")
		out[word] = word
		for other := range strings.SplitSeq(others, ",") {
			out[other] = word
		}
	}
	return out
}

// meaning is what stands for a word and its forms.
func meaning(word string) string {
	if s, ok := synonyms()[word]; ok {
		return stem(s)
	}
	return stem(word)
}

// stem takes the commonest endings off. It is cheaper and takes off less than recall's: two
// words that it leaves apart only make two items of one.
func stem(w string) string {
	if len(w) < minPlural {
		return w
	}
	switch {
	case strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case endsIn(w, "sses", "xes", "zes", "ches", "shes"):
		w = w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !endsIn(w, "ss", "us", "is"):
		w = w[:len(w)-1]
	}
	for _, ending := range []string{"ation", "ing", "ed", "ly"} {
		if head, ok := strings.CutSuffix(w, ending); ok && len(head) >= 3 && strings.ContainsAny(head, "aeiouy") {
			w = head
			if n := len(w); ending != "ly" && ending != "ation" && w[n-1] == w[n-2] && !endsIn(w, "ll", "ss", "zz") {
				w = w[:n-1]
			}
			break
		}
	}
	if len(w) >= minPlural {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

func endsIn(w string, endings ...string) bool {
	for _, e := range endings {
		if strings.HasSuffix(w, e) {
			return true
		}
	}
	return false
}
