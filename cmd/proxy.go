package cmd

import (
	"context"
	"net"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/capture/extract"
	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/llm"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memory/acts/extraction"
	"github.com/memctl/memctl/memory/setup"
)

// envProxyToken holds the token of `proxy`.
const envProxyToken = "MEMCTL_PROXY_TOKEN"

type proxyOptions struct {
	listen       string
	upstream     string
	conversation string
	turns        bool
	learn        bool
	summaries    bool
	printConfig  string
}

func newProxy(a *app) *cobra.Command {
	o := &proxyOptions{}
	c := &cobra.Command{
		Use:   "proxy",
		Short: "Give memory to any client of a model's service",
		Long: `Proxy stands between a client and a model's service, over HTTP. It adds the Active
Profile to each session, and to each message what memory has about it; the answers pass
unchanged. It understands OpenAI's /v1/chat/completions and /v1/responses, Anthropic's
/v1/messages, Gemini's generateContent and Ollama's /api/chat, and passes every other path
on as it is.

It serves the memory of the folder in which you start it; outside a repository, it serves
your own memory. With memctl.capture, requests to remember in messages wait in "memctl
review". With --turns the proxy also stores what is said, word for word, and finds it
again. With --learn it stores this too, and also asks the model that answers you: the
model finds lasting facts in each message, and writes the summary of the conversation.
This uses your key, within the daily limit of models. The facts wait in "memctl review".
With --summaries=false, the proxy neither stores nor adds summaries.

Without --upstream, each request goes to the service whose format it has. The client's key
goes with the request, and memctl does not keep the key.

On an address that other machines can reach, each request needs the token in
MEMCTL_PROXY_TOKEN, as the header X-Memctl-Token or as the path /t/TOKEN/v1. Requests from
web pages are always refused. docs/proxy.md has the settings of clients.`,
		Example: `  memctl proxy
  memctl proxy --upstream http://localhost:11434/v1 --turns
  memctl proxy --print-config claude`,
		RunE: a.runner(needStores, func(s *session, _ []string) error {
			if o.printConfig != "" {
				return s.printProxyConfig(o)
			}
			return runProxy(s, o)
		}),
	}
	f := c.Flags()
	f.StringVar(&o.listen, "listen", proxyAddress, "listen at `ADDRESS`")
	f.StringVar(&o.upstream, "upstream", "", "the `URL` of the model's service, such as http://localhost:11434/v1")
	f.StringVar(&o.conversation, "conversation", "", "use conversation `NAME` where the client names none (default "+door.DefaultConversation+")")
	f.BoolVar(&o.turns, "turns", false, "store what is said, word for word")
	f.BoolVar(&o.learn, "learn", false, "store what is said, and let the model of each request find lasting facts in it")
	f.BoolVar(&o.summaries, "summaries", true, "keep a rolling summary of each conversation, and hand it out")
	f.StringP(flagScope, "s", "", "store turns in `SCOPE`: private or user")
	allow(c, flagScope, store.Private, store.User)
	f.StringVar(&o.printConfig, "print-config", "", "print the settings of a `CLIENT` ("+strings.Join(door.Clients(), ", ")+"), and exit")
	allow(c, "print-config", door.Clients()...)
	return c
}

// proxyAddress is where the proxy listens by default.
const proxyAddress = "127.0.0.1:8100"

// fillUpstream fills in the upstream from the setting.
func (o *proxyOptions) fillUpstream(s *session) error {
	if o.upstream == "" {
		set, err := s.stores.Setting(s.ctx, setup.ProxyUpstream)
		if err != nil {
			return err
		}
		o.upstream = set.Text
	}
	return nil
}

func (s *session) printProxyConfig(o *proxyOptions) error {
	if err := o.fillUpstream(s); err != nil {
		return err
	}
	text, err := door.Config(o.printConfig, o.listen, s.getenv(envProxyToken))
	if err != nil {
		return usage("--listen "+o.listen, "not an address with a port", "memctl proxy --listen "+proxyAddress)
	}
	return s.print(text)
}

func runProxy(s *session, o *proxyOptions) error {
	if s.parts.Proxy == nil {
		return s.startFull(s.ctx)
	}
	setPace(lightHeap) // little lives from one request to the next
	if err := o.fillUpstream(s); err != nil {
		return err
	}
	upstream, err := upstreamOf(o.upstream)
	if err != nil {
		return err
	}
	token := s.getenv(envProxyToken)
	if token != "" && len(token) < door.MinToken {
		return usage(envProxyToken, "use 16 characters or more", "openssl rand -hex 32")
	}
	hosts, err := s.stores.Setting(s.ctx, setup.ProxyHosts)
	if err != nil {
		return err
	}
	l, err := door.Listen(o.listen, token)
	switch {
	case fault.Is(err, fault.NotLoopback):
		return usage("--listen "+o.listen, "use a loopback address with a port, or set a token in "+envProxyToken, "memctl proxy --listen "+proxyAddress)
	case err != nil:
		return cannotListen(o.listen, err)
	}
	open := s.serverStores()
	env := door.ProxyEnv{
		Open:     func(ctx context.Context) (*store.Stores, error) { return open(ctx, "") },
		Upstream: upstream, Conversation: o.conversation, Scope: s.Scope, Turns: o.turns || o.learn, NoSummaries: !o.summaries, Token: token,
		Hosts: strings.FieldsFunc(strings.ToLower(hosts.Text), func(r rune) bool { return r == ',' || r == ' ' }), Say: s.talk,
	}
	if o.learn {
		env.Extract = extractWithUpstream(env)
	}
	defer s.readInBackground(open)()
	p := s.parts.Proxy(env)
	defer p.Close()
	s.printServing(l, o)
	return p.Serve(s.ctx, l)
}

// extractWithUpstream finds facts with the model and the key of the request, within the daily limit.
func extractWithUpstream(env door.ProxyEnv) func(context.Context, door.Exchange) error {
	return func(ctx context.Context, e door.Exchange) error {
		ss, err := env.Open(ctx)
		if err != nil {
			return err
		}
		provider := llm.Provider{Name: "upstream", Kind: e.Kind, URL: e.Base, Model: e.Model, Key: e.Key}
		chain := llm.Chain{Providers: []llm.Provider{provider}, Budget: localstate.BudgetOf(ss)}
		c := extraction.Conversation{
			Agent: "proxy", Name: e.Conversation, Time: ss.Now(), NoSummary: env.NoSummaries, Turns: []extract.Turn{{By: transcript.Person, Text: e.Text}},
		}
		res := extraction.NewResult()
		return extraction.Extract(ctx, ss, chain, c, &res)
	}
}

// printServing says where the proxy is, and what it stores.
func (s *session) printServing(l net.Listener, o *proxyOptions) {
	where := "their services"
	if o.upstream != "" {
		where = inert(redact(o.upstream))
	}
	s.talk("serving http://" + l.Addr().String() + "/v1, requests go to " + where)
	capture, _ := s.stores.Setting(s.ctx, store.Capture)
	switch {
	case o.learn:
		s.talk("stores what is said, and facts that the model finds in it")
	case o.turns:
		s.talk("stores what is said, word for word")
	case capture.Text == store.CaptureOff:
		s.talk("stores nothing of what is said; memctl proxy --learn stores it, and the facts that the model finds in it")
	}
}

// upstreamOf checks the address of the model's service; nil for none.
func upstreamOf(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" {
		return nil, usage("--upstream "+redact(text), "not the address of a service", "memctl proxy --upstream http://localhost:11434/v1")
	}
	return u, nil
}
