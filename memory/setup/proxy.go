package setup

import "github.com/memctl/memctl/internal/settings"

// The settings of the proxy. They are the person's own: a repository must not say where their
// key goes.
var (
	ProxyUpstream = settings.Row{Name: "memctl.proxy.upstream", Env: "MEMCTL_PROXY_UPSTREAM", Personal: true,
		Help: "The address of the model's service behind memctl proxy, as you would set it in OPENAI_BASE_URL or ANTHROPIC_BASE_URL. If unset, Anthropic's and OpenAI's own.", Seldom: true}
	ProxyHosts = settings.Row{Name: "memctl.proxy.hosts", Env: "MEMCTL_PROXY_HOSTS", Personal: true,
		Help: "Further names by which clients may call memctl proxy, such as host.docker.internal, separated by commas.", Seldom: true}
)
