package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// The markers in the page, between which the table stands.
const (
	markStart = "<!-- bench: what stands below is written by `make bench` -->\n"
	markEnd   = "<!-- bench: end -->\n"
)

// table is the result in Markdown.
func table(list []*measured, o options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s: %s, %s/%s, %d CPUs%s, %s. %d items, %d runs of each command, in turn,\nafter %d that did not count. Whole processes, from start to exit.\n\n",
		time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load(), gitVersion(), o.items, o.rounds, warmUp)
	b.WriteString("| | median, ms | p95, ms | CPU, ms | times the empty program | aim | peak memory, MB |\n|---|--:|--:|--:|--:|--:|--:|\n")
	base := list[0].at(0.5)
	for _, m := range list {
		if m.absent {
			fmt.Fprintf(&b, "| %s | not on this machine | | | | | |\n", m.name)
			continue
		}
		ratio := float64(m.at(0.5)) / float64(base)
		peak := "not told"
		if m.peak > 0 {
			peak = fmt.Sprintf("%.1f", float64(m.peak)/1e6)
		}
		fmt.Fprintf(&b, "| %s | %.2f | %.2f | %.2f | %.1f | %s | %s |\n", m.title(), milliseconds(m.at(0.5)), milliseconds(m.at(0.95)), milliseconds(quantile(m.cpu, 0.5)), ratio, m.aims(m.against(list[0])), peak)
	}
	return b.String()
}

// title is the row's name, with the rate where there is one.
func (m *measured) title() string {
	if m.each == 0 {
		return m.name
	}
	return fmt.Sprintf("%s: %.0f a second", m.name, float64(m.each)/m.at(0.5).Seconds())
}

// against is the time in times of what the aim is held against.
func (m *measured) against(base *measured) float64 {
	if m.beside != nil {
		base = m.beside
	}
	return float64(m.at(0.5)) / float64(base.at(0.5))
}

// aims says of each aim whether it is met: the time's, in times the empty
// program or the row that it stands beside, and the memory's. One that could not be measured is not judged.
func (m *measured) aims(ratio float64) string {
	var said []string
	judge := func(aim string, met bool) {
		if met {
			said = append(said, aim+": met")
		} else {
			said = append(said, aim+": missed")
		}
	}
	if m.aim > 0 {
		aim := fmt.Sprintf("%g", m.aim)
		if m.beside != nil {
			aim = fmt.Sprintf("%g times the row above (%.2f)", m.aim, ratio)
		}
		judge(aim, ratio <= m.aim)
	}
	if m.under != nil {
		judge(fmt.Sprintf("under %s (%.2f times)", m.under.name, float64(m.at(0.5))/float64(m.under.at(0.5))), m.at(0.5) < m.under.at(0.5))
	}
	if m.below > 0 {
		judge(fmt.Sprintf("%g ms", milliseconds(m.below)), m.at(0.5) < m.below)
	}
	if m.than != nil {
		over := m.at(0.5) - m.than.at(0.5)
		judge(fmt.Sprintf("%g ms more than without (%.2f)", milliseconds(m.more), milliseconds(over)), over <= m.more)
	}
	if m.most > 0 && m.peak > 0 {
		judge(fmt.Sprintf("%g MB", float64(m.most)/1e6), m.peak < m.most)
	}
	return strings.Join(said, ", ")
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// load is the system's load over the last minute, where it tells.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	first, _, ok := strings.Cut(string(text), " ")
	if err != nil || !ok {
		return ""
	}
	return ", load " + first
}

func gitVersion() string {
	out, err := exec.Command("git", "--version").Output()
	if err != nil {
		return "git"
	}
	return strings.TrimSpace(strings.Replace(string(out), " version", "", 1))
}

// between puts the text between the markers of a page.
func between(page []byte, text string) ([]byte, error) {
	head, rest, ok := bytes.Cut(page, []byte(markStart))
	_, tail, closed := bytes.Cut(rest, []byte(markEnd))
	if !ok || !closed {
		return nil, errors.New("the markers of the table are not there")
	}
	return bytes.Join([][]byte{head, []byte(markStart), []byte("\n" + text + "\n"), []byte(markEnd), tail}, nil), nil
}
