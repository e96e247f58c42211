package door

import (
	"cmp"
	"fmt"
	"net"
)

// Clients lists the clients whose settings Config knows.
func Clients() []string { return []string{"claude", "codex", "openai", "open-webui", "ollama"} }

// Config is the settings that make a client talk to a proxy at an address, with its token, "" for
// none. Errors: the address has no port.
func Config(client, listen, token string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", err
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	path := ""
	if token != "" {
		path = TokenPrefix + token
	}
	base := "http://" + net.JoinHostPort(host, port) + path
	switch client {
	case "claude":
		return "export ANTHROPIC_BASE_URL=" + base + "\n", nil
	case "codex":
		return fmt.Sprintf(codexConfig, base), nil
	case "open-webui":
		return fmt.Sprintf(openWebUIConfig, port, cmp.Or(token, "$MEMCTL_PROXY_TOKEN")), nil
	case "ollama":
		return fmt.Sprintf(ollamaConfig, base), nil
	}
	return "export OPENAI_BASE_URL=" + base + "/v1\n", nil
}

// codexConfig stands before all tables of the file: a key after one would belong to it.
const codexConfig = `# ~/.codex/config.toml: the first line above all tables, the table anywhere below
model_provider = "memctl"

[model_providers.memctl]
name = "memctl"
base_url = "%s/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
`

const openWebUIConfig = `# the proxy, on an address that the container can reach
export MEMCTL_PROXY_TOKEN=$(openssl rand -hex 32) # keep it: it is part of the address below
export MEMCTL_PROXY_HOSTS=host.docker.internal
memctl proxy --listen 0.0.0.0:%[1]s --upstream http://localhost:11434/v1 --turns &

docker run -d -p 3000:8080 --add-host=host.docker.internal:host-gateway \
  -v open-webui:/app/backend/data -e WEBUI_AUTH=false \
  -e ENABLE_FORWARD_USER_INFO_HEADERS=true \
  -e OPENAI_API_BASE_URL=http://host.docker.internal:%[1]s/t/%[2]s/v1 \
  -e OPENAI_API_KEY=none \
  ghcr.io/open-webui/open-webui:main
`

const ollamaConfig = `# the proxy in front of Ollama
memctl proxy --upstream http://localhost:11434/v1 --turns &

export OPENAI_BASE_URL=%s/v1 OPENAI_API_KEY=none
`
