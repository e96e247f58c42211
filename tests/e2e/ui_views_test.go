//go:build e2e

package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestPageRestoresAnEarlierValueByKeyboard(t *testing.T) {
	s := filled(t)
	s.run("memctl", "add", "tooling.formatter", "gofumpt, and gci for the imports")
	p := openPage(t, s)
	p.show("history")
	p.do(chromedp.SendKeys("#q", "tooling.formatter"))
	p.sees("goimports", "helix")
	p.until(`document.querySelector("del").textContent === "goimports" && document.querySelector("ins").textContent === "gci"`)
	p.do(chromedp.SendKeys("#q", kb.ArrowDown))
	p.until(`document.activeElement.matches("[data-row]")`)
	p.keys("r")
	p.sees("Restored tooling.formatter", "")
	p.until(`document.querySelectorAll("[data-row]").length === 3`)
	p.keys("u")
	p.sees("Undone", "")
	p.until(`document.querySelectorAll("[data-row]").length === 4`)
}

func TestPageEditsLabelsByKeyboard(t *testing.T) {
	p := openPage(t, filled(t))
	p.show("memory")
	p.do(chromedp.SendKeys("#q", "gofumpt"))
	p.sees("1 of", "")
	p.do(chromedp.SendKeys("#q", kb.ArrowDown))
	p.keys("e")
	p.until(`document.activeElement.nodeName === "TEXTAREA"`)
	p.do(chromedp.SendKeys("[name=key]", kb.End+".go"), chromedp.SendKeys("[name=when]", "gofmt"), chromedp.Focus("[name=pinned]"), chromedp.KeyEvent(" "))
	p.keys("f")                                           // is no act while a field of the editor has the focus
	p.do(chromedp.SendKeys("[name=expires]", kb.ArrowUp)) // chooses no row
	p.until(`document.activeElement.name === "expires" && document.querySelector("[name=pinned]").checked`)
	ask[string](p, `document.querySelector("[name=expires]").value = "2030-01-31"`)
	p.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.sees("Renamed tooling.formatter to tooling.formatter.go", "Tags, paths and more")
	p.sees("expires 2030-01-31", "")
	p.sees("when gofmt", "")
	p.until(`document.activeElement.matches("[data-row]")`)
	p.keys("u")
	p.sees("Undone", "when gofmt")
}
