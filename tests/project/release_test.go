package project

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/door/agents"
)

// readJSON parses a file of the repository.
func readJSON(t *testing.T, name string) (v map[string]any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(name, err)
	}
	return v
}

// TestPluginsCallTheSameHooks compares the plugins' hooks with those that `memctl hooks install` writes: both give a
// session the same memory, and a client that runs equal commands once gets it once.
func TestPluginsCallTheSameHooks(t *testing.T) {
	plugins := map[string]string{"claude": "docs/plugin/hooks/hooks.json", "codex": "docs/plugin/hooks/codex.json"}
	compared := 0
	for _, agent := range agents.All() {
		plugin, ok := plugins[agent.Name()]
		if !ok {
			continue
		}
		files, err := agent.Files(agents.Machine{Home: t.TempDir(), Getenv: func(string) string { return "" }}, agents.ForUser)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if file.What != "hooks" {
				continue
			}
			text, err := file.Editor.Install(nil)
			if err != nil {
				t.Fatal(err)
			}
			var installed map[string]any
			if err := json.Unmarshal(text, &installed); err != nil {
				t.Fatal(err)
			}
			if got := readJSON(t, plugin); !reflect.DeepEqual(got, installed) {
				t.Errorf("%s has\n%v\nand hooks install writes\n%v", plugin, got, installed)
			}
			compared++
		}
	}
	if compared != len(plugins) {
		t.Errorf("compared %d files of hooks, want %d", compared, len(plugins))
	}
}

// TestPluginHasTheBuiltInSkill compares the two copies: a plugin cannot refer to a file outside its folder.
func TestPluginHasTheBuiltInSkill(t *testing.T) {
	plugin, err := os.ReadFile("docs/plugin/skills/memctl/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	builtIn, err := os.ReadFile("internal/skills/builtin/memctl/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(plugin, builtIn) {
		t.Error("docs/plugin/skills/memctl/SKILL.md is not internal/skills/builtin/memctl/SKILL.md; copy it")
	}
}

// TestMarketplacesNamePlugins follows each marketplace file to its plugin.
func TestMarketplacesNamePlugins(t *testing.T) {
	for marketplace, manifest := range map[string]string{
		".claude-plugin/marketplace.json":  ".claude-plugin/plugin.json",
		".agents/plugins/marketplace.json": ".codex-plugin/plugin.json",
	} {
		plugins, _ := readJSON(t, marketplace)["plugins"].([]any)
		if len(plugins) != 1 {
			t.Fatalf("%s has %d plugins, want 1", marketplace, len(plugins))
		}
		plugin := plugins[0].(map[string]any)
		source, ok := plugin["source"].(string)
		if !ok {
			source = plugin["source"].(map[string]any)["path"].(string)
		}
		m := readJSON(t, filepath.Join(source, manifest))
		if m["name"] != plugin["name"] {
			t.Errorf("%s names the plugin %v, its manifest %v", marketplace, plugin["name"], m["name"])
		}
		for _, part := range []string{"skills", "mcpServers", "hooks"} {
			if path, ok := m[part].(string); ok {
				if _, err := os.Stat(filepath.Join(source, path)); err != nil {
					t.Errorf("%s: %v", manifest, err)
				}
			}
		}
	}
}

// release writes the files of a release whose programs are scripts, and returns their folder and the archive's
// checksum.
func release(t *testing.T) (dir, sum string) {
	t.Helper()
	var archive bytes.Buffer
	gz := gzip.NewWriter(&archive)
	tw := tar.NewWriter(gz)
	for _, name := range []string{"memctl", "memctl-full"} {
		program := "#!/bin/sh\necho " + name + " 0.1.0\n"
		if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(program))}); err != nil {
			t.Fatal(err)
		}
		_, _ = tw.Write([]byte(program))
	}
	_ = tw.Close()
	_ = gz.Close()
	digest := sha256.Sum256(archive.Bytes())
	sum = hex.EncodeToString(digest[:])
	name := "memctl_0.1.0_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
	dir = t.TempDir()
	bundle := "memctl_mcpb_0.1.0_" + runtime.GOOS + "_" + runtime.GOARCH + ".zip"
	for file, text := range map[string]string{
		name:            archive.String(),
		"checksums.txt": sum + "  " + name + "\n" + strings.Repeat("0", 64) + "  " + bundle + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, sum
}

// installScript runs internal/scripts/install.sh with variables, as `curl | sh` does: from standard input.
func installScript(t *testing.T, variables ...string) (bin, out string, err error) {
	t.Helper()
	script, err := os.Open("internal/scripts/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = script.Close() }()
	bin = filepath.Join(t.TempDir(), "bin")
	cmd := exec.Command("sh")
	cmd.Stdin = script
	cmd.Env = append(os.Environ(), append(variables, "MEMCTL_BIN="+bin)...)
	data, err := cmd.CombinedOutput()
	return bin, string(data), err
}

// installRefuses checks that the script refuses, says so, and installs nothing.
func installRefuses(t *testing.T, name string, variables ...string) {
	t.Helper()
	bin, out, err := installScript(t, variables...)
	if err == nil || !strings.Contains(out, "install.sh: ") {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
	if _, err := os.Stat(bin); err == nil {
		t.Errorf("%s: something was installed\n%s", name, out)
	}
}

func TestInstallScriptComparesTheChecksum(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script is for Linux and macOS")
	}
	dir, sum := release(t)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	from := []string{dir}
	if _, err := exec.LookPath("curl"); err == nil {
		from = append(from, server.URL)
	} else if _, err := exec.LookPath("wget"); err == nil {
		from = append(from, server.URL)
	}
	for _, releases := range from {
		for _, expected := range []string{"", sum} {
			bin, out, err := installScript(t, "MEMCTL_RELEASES="+releases, "MEMCTL_SHA256="+expected)
			if err != nil || !strings.Contains(out, "installed in "+bin+": memctl 0.1.0") {
				t.Errorf("%s: %v\n%s", releases, err, out)
			}
			for _, program := range []string{"memctl", "memctl-full"} {
				if info, err := os.Stat(filepath.Join(bin, program)); err != nil || info.Mode().Perm() != 0o755 {
					t.Errorf("%s: %v %v", releases, info, err)
				}
			}
		}
		installRefuses(t, "another checksum than the caller's", "MEMCTL_RELEASES="+releases, "MEMCTL_SHA256="+strings.Repeat("1", 64))
		installRefuses(t, "no release there", "MEMCTL_RELEASES="+releases+"/none")
		installRefuses(t, "no program for the checksum", "MEMCTL_RELEASES="+releases, "PATH="+toolsWithout(t, "sha256sum", "shasum"))
	}
	archives, _ := filepath.Glob(filepath.Join(dir, "*.tar.gz"))
	if len(archives) != 1 {
		t.Fatal("no archive")
	}
	if err := os.WriteFile(archives[0], []byte("changed on the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, releases := range from {
		installRefuses(t, "a changed archive", "MEMCTL_RELEASES="+releases)
	}
}

// toolsWithout is a folder with the programs that the script calls, except some.
func toolsWithout(t *testing.T, except ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sh", "uname", "mktemp", "rm", "sed", "cut", "tar", "gzip", "mkdir", "cp", "chmod", "mv", "curl", "wget", "sha256sum", "shasum"} {
		if path, err := exec.LookPath(name); err == nil && !slices.Contains(except, name) {
			if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// TestServerJSON checks the file for the MCP registry by the limits of its schema of 2025-12-11.
func TestServerJSON(t *testing.T) {
	dir, _ := release(t)
	out, err := exec.Command("sh", "internal/scripts/server-json.sh", "0.1.0", filepath.Join(dir, "checksums.txt")).Output()
	if err != nil {
		t.Fatal(err)
	}
	var server struct {
		Name, Description, Version string
		Packages                   []struct{ RegistryType, Identifier, FileSha256 string }
	}
	if err := json.Unmarshal(out, &server); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Count(server.Name, "/") != 1 || len(server.Description) > 100 || server.Version != "0.1.0" {
		t.Errorf("name %q, description of %d bytes, version %q", server.Name, len(server.Description), server.Version)
	}
	if len(server.Packages) != 1 || server.Packages[0].FileSha256 != strings.Repeat("0", 64) || !strings.Contains(server.Packages[0].Identifier, "/v0.1.0/memctl_mcpb_") {
		t.Errorf("packages %+v", server.Packages)
	}
	if err := exec.Command("sh", "internal/scripts/server-json.sh", "0.1.0", os.DevNull).Run(); err == nil {
		t.Error("a release without bundles makes a server.json")
	}
}
