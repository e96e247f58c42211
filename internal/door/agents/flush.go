package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory/reading/briefing"
)

const (
	// flushReserve is how many tokens before the end of its window a client compacts, and flushSoft how
	// many tokens before that the agent is asked.
	flushReserve = 20_000
	flushSoft    = 4_000
	// usualWindow and largeWindow are the windows of models whose transcripts name none: the large one
	// where more is in use than fits the usual one.
	usualWindow = 200_000
	largeWindow = 1_000_000
	// usageBytes is how much of a transcript's end is searched for the last count of tokens.
	usageBytes = 256 << 10
	// flushSource marks the record of a Stop at which the agent was asked.
	flushSource = "flush"
	// flushLine asks the agent to store memories before a compaction.
	flushLine = "This conversation will soon be compacted. Store durable memories now with memctl's `remember`: decisions, conventions and lessons from it that should hold beyond this task and that memory does not have. " +
		"No secrets and nothing temporary. If there is nothing to store, do nothing; either way, do not repeat your answer."
)

// stopAnswer lets an agent go on for one more turn.
type stopAnswer struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

// flush asks the agent, once before each compaction, to store what should last; nil where it does not.
// Nobody is asked where the person did not switch it on, or where the last answer is the program's
// output, as in `claude -p`.
func (c Call) flush(ctx context.Context, ss *store.Stores) any {
	on, err := ss.Setting(ctx, store.FlushAsk)
	mine, wrong := ss.Setting(ctx, store.Enabled)
	if !c.Agent.goesOn || err != nil || wrong != nil || !on.Bool() || !mine.Bool() || c.Event != EventStop || c.Continued || c.Ordered || c.Session == "" || !filepath.IsAbs(c.Transcript) {
		return nil
	}
	tail, ok := inTime(func() []byte { return readTranscript(c.Transcript, usageBytes) })
	if !ok || !nearlyFull(tail) || c.headless() || c.flushed(ss) {
		return nil
	}
	return stopAnswer{Decision: "block", Reason: flushLine}
}

// flushed reports whether the agent was asked since the session's last compaction. What cannot be read
// counts as asked.
func (c Call) flushed(ss *store.Stores) bool {
	asked, ok, err := localstate.LastRecord(ss, EventStop, func(r localstate.SessionRecord) bool {
		return r.Session == c.Session && r.Source == flushSource
	})
	if err != nil || !ok {
		return err != nil
	}
	for _, event := range []string{EventPreCompact, briefing.EventSessionStart} {
		_, since, err := localstate.LastRecord(ss, event, func(r localstate.SessionRecord) bool {
			return r.Session == c.Session && !r.Time.Before(asked.Time) && (event == EventPreCompact || r.Source == "compact" || r.Source == "clear")
		})
		if since && err == nil {
			return false
		}
	}
	return true
}

// nearlyFull reports whether the last count of tokens in a transcript's end is near the model's window.
func nearlyFull(transcript []byte) bool {
	used, window := 0, 0
	for line := range bytes.Lines(transcript) {
		var l struct {
			Sidechain bool `json:"isSidechain"`
			Message   struct {
				Usage struct {
					Input   int `json:"input_tokens"`
					Created int `json:"cache_creation_input_tokens"`
					Read    int `json:"cache_read_input_tokens"`
					Output  int `json:"output_tokens"`
				}
			}
			Payload struct {
				Info struct {
					Last struct {
						Total int `json:"total_tokens"`
					} `json:"last_token_usage"`
					Window int `json:"model_context_window"`
				}
			}
		}
		if !bytes.Contains(line, []byte("_token")) || json.Unmarshal(line, &l) != nil || l.Sidechain {
			continue // a line that has no count, or was cut off
		}
		if u := l.Message.Usage; u.Input+u.Created+u.Read+u.Output > 0 {
			used, window = u.Input+u.Created+u.Read+u.Output, usualWindow
			if used > usualWindow {
				window = largeWindow
			}
		}
		if info := l.Payload.Info; info.Last.Total > 0 && info.Window > 0 {
			used, window = info.Last.Total, info.Window
		}
	}
	return window > 0 && used >= window-flushReserve-flushSoft
}
