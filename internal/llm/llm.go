// Package llm calls models: chat models, embedders and rerankers behind HTTP, and programs that
// read a prompt.
//
// Words. An embedder turns texts into vectors whose cosine tells how near two
// texts are in meaning. A reranker scores documents against one query. Both
// speak the forms that most servers share: OpenAI's for embeddings, Cohere's
// and Jina's for reranking. Nothing here is called unless a person configured
// it, and never from a hook.
//
// The client is net/http, which the MCP door links anyway: a library for two
// calls of one JSON object each would add a megabyte and a second way to fail.
package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/loopback"
)

// Endpoint is one model behind HTTP.
type Endpoint struct {
	URL   string // the server's base, such as http://127.0.0.1:11434/v1, or the whole address of the call
	Model string // the model's name there; may be empty where the server has one
	Key   string // sent as a bearer token; "" sends none
	Batch int    // texts in one call; 0 is DefaultBatch

	header  http.Header // sent with each call, instead of the bearer token where it is set
	private string      // text that no error may repeat
}

const (
	// DefaultBatch is how many texts go in one call: well under the 2,048 that
	// OpenAI takes, and small enough for a local server's memory.
	DefaultBatch = 64
	// maxAnswerBytes caps one answer: 64 vectors of 4,096 numbers at 22 bytes
	// each are 6 MB.
	maxAnswerBytes = 32 << 20
	// patience is how long one call may take where the caller sets no limit.
	patience = 60 * time.Second
	// maxRetryAfter is the longest wait that a busy server may ask for, once.
	maxRetryAfter = 10 * time.Second
)

// StatusError is an answer other than 200.
type StatusError struct {
	URL    string // without user, password and query
	Status int
	Detail string // the start of the server's own words, one line

	body string // all of the server's words, which may repeat the request
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%q: answered %d %s: %s", e.URL, e.Status, http.StatusText(e.Status), e.Detail)
}

// Temporary reports whether the same call may work later.
func (e *StatusError) Temporary() bool {
	return e.Status == http.StatusTooManyRequests || e.Status >= 500
}

// address is the call's whole URL. A key goes over plain HTTP to this machine
// only.
func (e Endpoint) address(call string) (*url.URL, error) {
	u, err := url.Parse(e.URL)
	if err != nil {
		return nil, fault.New(fault.ModelAddress, "the model's address", "is not a URL")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fault.New(fault.ModelAddress, u.Redacted(), "is not an http or https address")
	case u.Scheme == "http" && e.Key != "" && !loopback.IsHost(u.Hostname()):
		return nil, fault.New(fault.ModelAddress, shown(u), "would send the key in plain text; use https")
	}
	if !strings.HasSuffix(u.Path, "/"+call) {
		u = u.JoinPath(call)
	}
	return u, nil
}

// shown is the address as it may be printed.
func shown(u *url.URL) string {
	c := *u
	c.User, c.RawQuery, c.Fragment = nil, "", ""
	return c.String()
}

// post sends one JSON object and decodes the answer into out.
func (e Endpoint) post(ctx context.Context, call string, body, out any) error {
	u, err := e.address(call)
	if err != nil {
		return err
	}
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	return e.send(ctx, u, data, out)
}

// send makes one call. A busy server is asked once more, after as long as it asked for.
func (e Endpoint) send(ctx context.Context, u *url.URL, data []byte, out any) error {
	wait, err := e.try(ctx, u, data, out)
	var status *StatusError
	if !errors.As(err, &status) || !status.Temporary() || wait > maxRetryAfter {
		return err
	}
	select {
	case <-ctx.Done():
		return err
	case <-time.After(wait):
	}
	_, err = e.try(ctx, u, data, out)
	return err
}

// try makes one call; wait is how long to leave a busy server alone.
func (e Endpoint) try(ctx context.Context, u *url.URL, data []byte, out any) (wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(data))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	switch {
	case e.header != nil:
		maps.Copy(req.Header, e.header)
	case e.Key != "":
		req.Header.Set("Authorization", "Bearer "+e.Key)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err // the wrapper repeats the address with its password
		}
		return 0, fmt.Errorf("%q: %w", shown(u), err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes+1))
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q: %w", shown(u), err)
	case res.StatusCode != http.StatusOK:
		return retryAfter(res.Header), &StatusError{URL: shown(u), Status: res.StatusCode, Detail: e.detail(text), body: string(text)}
	case len(text) > maxAnswerBytes:
		return 0, fault.New(fault.ModelAnswer, shown(u), "the answer is over 32 MB")
	}
	if err := json.Unmarshal(text, out); err != nil {
		return 0, fault.New(fault.ModelAnswer, shown(u), "the answer is not the expected JSON")
	}
	return 0, nil
}

// detail is the start of the server's words, on one line, without the key.
func (e Endpoint) detail(text []byte) string {
	const limit = 200
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "?")), " ")
	if e.Key != "" {
		s = strings.ReplaceAll(s, e.Key, "…")
	}
	if runes := []rune(s); len(runes) > limit {
		s = string(runes[:limit]) + "…"
	}
	if repeats(s, e.private) {
		return "(the answer repeats the request, so it is not shown)"
	}
	return s
}

// repeated is how many bytes of a private text in a row count as a repetition.
const repeated = 12

// repeats reports whether a text repeats a part of a private one.
func repeats(text, private string) bool {
	private = strings.Join(strings.Fields(private), " ")
	if private == "" {
		return false
	}
	if len(private) <= repeated {
		return strings.Contains(text, private)
	}
	for i := 0; i+repeated <= len(text); i++ {
		if strings.Contains(private, text[i:i+repeated]) {
			return true
		}
	}
	return false
}

// retryAfter reads the header in seconds.
func retryAfter(h http.Header) time.Duration {
	wait, err := time.ParseDuration(h.Get("Retry-After") + "s")
	if err != nil || wait < 0 {
		return time.Second
	}
	return wait
}
