package index

import (
	"strings"
	"sync"
)

// irregular gives the plain form of forms that no rule for endings brings together.
var irregular = sync.OnceValue(func() map[string]string {
	forms := map[string]string{}
	for entry := range strings.FieldsSeq(irregularForms) {
		plain, rest, _ := strings.Cut(entry, "=")
		for form := range strings.SplitSeq(rest, ",") {
			forms[form] = plain
		}
	}
	return forms
})

// Verbs and nouns of everyday texts. Forms that are words of their own ("saw",
// "left", "found" stay in: they are verbs far more often) were weighed one by one. So
// were "lives" and "leaves", which are forms of live and leave far more often than of life
// and leaf, and end as verbs do: they are left out.
const irregularForms = `
go=went,gone buy=bought think=thought bring=brought teach=taught catch=caught fight=fought seek=sought
find=found get=got,gotten give=gave,given take=took,taken make=made come=came become=became see=saw,seen
know=knew,known grow=grew,grown throw=threw,thrown fly=flew,flown draw=drew,drawn show=shown blow=blew,blown
say=said tell=told sell=sold hold=held hear=heard keep=kept sleep=slept feel=felt meet=met leave=left lose=lost
send=sent spend=spent build=built lend=lent bend=bent learn=learnt mean=meant deal=dealt dream=dreamt
pay=paid lay=laid sit=sat win=won run=ran begin=began,begun sing=sang,sung swim=swam,swum drink=drank,drunk
ring=rang,rung write=wrote,written ride=rode,ridden drive=drove,driven rise=rose,risen choose=chose,chosen
speak=spoke,spoken break=broke,broken wake=woke,woken steal=stole,stolen freeze=froze,frozen forget=forgot,forgotten
eat=ate,eaten fall=fell,fallen stand=stood understand=understood wear=wore,worn tear=tore,torn swear=swore,sworn
bear=bore,born,borne hide=hid,hidden bite=bit,bitten shake=shook,shaken stick=stuck strike=struck hang=hung
lead=led feed=fed speed=sped read=reads shoot=shot shine=shone sweep=swept weep=wept creep=crept spin=spun dig=dug
child=children person=people man=men woman=women foot=feet tooth=teeth mouse=mice wife=wives knife=knives
shelf=shelves wolf=wolves half=halves loaf=loaves thief=thieves index=indices,indexes vertex=vertices
datum=data criterion=criteria analysis=analyses`
