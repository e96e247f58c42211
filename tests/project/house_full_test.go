package project

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestMemctlLinksNoHeavyPart keeps what only memctl-full needs out of the program that every hook starts.
func TestMemctlLinksNoHeavyPart(t *testing.T) {
	heavy := []string{module + "/internal/door/page", "html/template", module + "/internal/door/mcp", "github.com/modelcontextprotocol/go-sdk/mcp", "encoding/gob", module + "/internal/door/proxy", "net/http/httputil", module + "/internal/recall/postgres/pgclient", "github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/pgconn"}
	for program, has := range map[string]bool{"memctl": false, "memctl-full": true} {
		out, err := exec.Command("go", "list", "-deps", "./cmd/"+program).Output()
		if err != nil {
			t.Fatal(err)
		}
		linked := strings.Fields(string(out))
		for _, part := range heavy {
			if slices.Contains(linked, part) != has {
				t.Errorf("%s links %s: %v, want %v", program, part, !has, has)
			}
		}
	}
}
