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
