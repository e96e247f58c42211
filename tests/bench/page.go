package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The page is started so many times for each store, and asked twice each time.
const pageStarts = 7

// pageTable measures how long the page's first view takes, from the request to the last byte. No command does that.
func (b *bench) pageTable() (string, error) {
	if err := goBuild(filepath.Join(filepath.Dir(b.memctl), "memctl-full"), "github.com/memctl/memctl/cmd/memctl-full"); err != nil {
		return "", err
	}
	text := "\nThe page:\n\n| | median, ms | aim |\n|---|--:|---|\n"
	for _, store := range []struct {
		facts int
		aim   time.Duration
	}{{200, 100 * time.Millisecond}, {manyFacts, 300 * time.Millisecond}} {
		if _, err := os.Stat(b.factsAt(store.facts)); err != nil {
			if err := b.makeFacts(store.facts); err != nil {
				return "", err
			}
		}
		var first, later []time.Duration
		for range pageStarts {
			times, err := b.askPage(b.factsAt(store.facts))
			if err != nil {
				return "", err
			}
			first, later = append(first, times[0]), append(later, times[1])
		}
		slices.Sort(first)
		slices.Sort(later)
		met := "met"
		if quantile(first, 0.5) > store.aim {
			met = "missed"
		}
		text += fmt.Sprintf("| first view, %d facts | %.1f | %d ms: %s |\n| the same again | %.1f | |\n",
			store.facts, milliseconds(quantile(first, 0.5)), store.aim.Milliseconds(), met, milliseconds(quantile(later, 0.5)))
	}
	return text, nil
}

// askPage starts the page, and asks for its first view twice.
func (b *bench) askPage(dir string) (times [2]time.Duration, err error) {
	page := b.command(dir, b.memctl, "ui", "--no-open")
	out, err := page.StdoutPipe()
	if err != nil {
		return times, err
	}
	if err := page.Start(); err != nil {
		return times, err
	}
	defer func() {
		_ = page.Process.Kill()
		_ = page.Wait()
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return times, fmt.Errorf("memctl ui: %w", err)
	}
	for i := range times {
		begun := time.Now()
		answer, err := http.Get(strings.TrimSpace(address) + "memory")
		if err != nil {
			return times, err
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		times[i] = time.Since(begun)
		if err != nil || !strings.Contains(string(text), `id="rows"`) {
			return times, fmt.Errorf("the page shows no memory: %w", err)
		}
	}
	return times, nil
}
