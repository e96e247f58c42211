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

func TestPageRecallsWhileYouType(t *testing.T) {
	s := filled(t)
	s.run("memctl", "remember", "[decision] We use Redis for the cache")
	s.run("memctl", "remember", "[decision] We do not use Redis for the cache any more")
	p := openPage(t, s)
	p.show("recall")
	p.keys("/")
	p.until(`document.activeElement.id === "q"`)
	ask[string](p, `document.getElementById("q").value = ""`) // the protocol types the key although the page took it
	p.keys("r", "e", "d", "i", "s", " ", "c", "a", "c", "h", "e")
	p.sees("2 hits", "Docker")
	p.until(`document.activeElement.id === "q"`)
	p.until(`[...document.querySelectorAll(".bars .part")].every((bar) => bar.getBoundingClientRect().width > 0)`)
}
