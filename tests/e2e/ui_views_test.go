//go:build e2e

package e2e

import (
	"path/filepath"
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
	ask[bool](p, `(s => { s.value = "sessions"; return s.dispatchEvent(new Event("input", { bubbles: true })) })(document.querySelector("select[name=in]"))`)
	p.until(`/Past sessions are not searched|Nothing matches in past sessions/.test(document.body.innerText)`)
}

func TestPageOpensASkillByKeyboard(t *testing.T) {
	s := filled(t)
	s.write(filepath.Join(s.repo, "skills", "deploy", "SKILL.md"), "---\nname: deploy\ndescription: Deploy the service to staging.\n---\n\n<b>Stop</b> if it does not answer.\n")
	s.run("memctl", "trust")
	p := openPage(t, s)
	p.show("skills")
	p.do(chromedp.SendKeys("#q", "staging"))
	p.sees("deploy", "Built in")
	p.do(chromedp.SendKeys("#q", kb.ArrowDown))
	p.until(`document.activeElement.matches("[data-row]")`)
	p.keys("o")
	p.sees("<b>Stop</b> if it does not answer.", "")
	p.keys("o")
	p.sees("deploy", "if it does not answer")
}
