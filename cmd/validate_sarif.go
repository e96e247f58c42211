package cmd

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/memory/integrity"
)

// The part of SARIF 2.1.0 that validate writes.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string      `json:"id"`
		Short   sarifText   `json:"shortDescription"`
		Help    sarifText   `json:"help"`
		HelpURI string      `json:"helpUri"`
		Default sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn"`
	}
)

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	projectURL  = "https://github.com/memctl/memctl"
	rulesURL    = projectURL + "/blob/main/docs/ci.md#rules"
)

// sarif is findings as one SARIF log. All rules are named, found or not: a site
// that stores the results shows what was looked for.
func sarif(findings []integrity.Validation, path func(string) string) sarifLog {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "memctl", URI: projectURL, Rules: []sarifRule{}}
	if v := buildVersion().Version; strings.HasPrefix(v, "v") {
		run.Tool.Driver.Version = v
	}
	at := map[string]int{}
	name := func(r ruleHelp) int {
		i, known := at[r.name]
		if !known {
			i = len(run.Tool.Driver.Rules)
			at[r.name] = i
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
				ID: r.name, Short: sarifText{r.short}, Help: sarifText{r.help}, HelpURI: rulesURL, Default: sarifConfig{r.level},
			})
		}
		return i
	}
	for _, r := range validateRules() {
		name(r)
	}
	for _, f := range findings {
		index := name(ruleHelp{f.Rule, f.Severity, f.Rule, inert(f.Message)})
		text := f.Message
		if f.Key != "" {
			text = f.Key + ": " + text
		}
		if f.Hint != "" {
			text += " (" + f.Hint + ")"
		}
		run.Results = append(run.Results, sarifResult{
			RuleID: f.Rule, RuleIndex: index, Level: f.Severity, Message: sarifText{inert(text)},
			Locations: []sarifLocation{{sarifPhysical{artifact(path(f.File)), sarifRegion{f.Line, f.UTF16Column}}}},
		})
	}
	return sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}}
}

// artifact is a file as SARIF names it: from the repository's root where it
// lies below, else by its whole path.
func artifact(path string) sarifArtifact {
	if filepath.IsAbs(filepath.FromSlash(path)) {
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(path, "/")}).String()}
	}
	// A colon in the first part would read as a scheme without the ./ that
	// String puts before it.
	return sarifArtifact{URI: (&url.URL{Path: path}).String(), Base: "%SRCROOT%"}
}
