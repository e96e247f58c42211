package cmd

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/memory/integrity"
)

// annotations are findings as workflow commands, which GitHub Actions shows
// beside the lines of a pull request.
func annotations(findings []integrity.Validation, path func(string) string) string {
	var b strings.Builder
	for _, f := range findings {
		message := f.Message
		if f.Key != "" {
			message = f.Key + ": " + message
		}
		if f.Hint != "" {
			message += "\n" + f.Hint
		}
		fmt.Fprintf(&b, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", f.Severity,
			commandProperty(inert(path(f.File))), f.Line, f.UTF16Column, commandProperty("memctl "+f.Rule), commandData(lines(message)))
	}
	return b.String()
}

// lines makes every line of a text inert on its own.
func lines(text string) string {
	list := strings.Split(text, "\n")
	for i := range list {
		list[i] = inert(list[i])
	}
	return strings.Join(list, "\n")
}

// commandData escapes the text of a workflow command; the percent sign first,
// for it is what the others are escaped with.
func commandData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// commandProperty escapes a property, where colon and comma end the value too.
func commandProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

// jsonObject is an object of JSON.
type jsonObject map[string]any

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	projectURL  = "https://github.com/memctl/memctl"
	rulesURL    = projectURL + "/blob/main/docs/ci.md#rules"
)

// sarif is findings as one SARIF 2.1.0 log, with their rules.
func sarif(findings []integrity.Validation, path func(string) string) jsonObject {
	text := func(s string) jsonObject { return jsonObject{"text": s} }
	rules, at, results := []jsonObject{}, map[string]int{}, []jsonObject{}
	for _, f := range findings {
		message := f.Message
		if f.Key != "" {
			message = f.Key + ": " + message
		}
		if f.Hint != "" {
			message += " (" + f.Hint + ")"
		}
		if _, known := at[f.Rule]; !known {
			at[f.Rule] = len(rules)
			rules = append(rules, jsonObject{
				"id": f.Rule, "shortDescription": text(f.Rule), "help": text(inert(f.Message)), "helpUri": rulesURL, "defaultConfiguration": jsonObject{"level": f.Severity},
			})
		}
		place := jsonObject{"artifactLocation": artifact(path(f.File)), "region": jsonObject{"startLine": f.Line, "startColumn": f.UTF16Column}}
		results = append(results, jsonObject{
			"ruleId": f.Rule, "ruleIndex": at[f.Rule], "level": f.Severity,
			"message": text(inert(message)), "locations": []jsonObject{{"physicalLocation": place}},
		})
	}
	driver := jsonObject{"name": "memctl", "informationUri": projectURL, "rules": rules}
	if v := buildVersion().Version; strings.HasPrefix(v, "v") {
		driver["version"] = v
	}
	run := jsonObject{"tool": jsonObject{"driver": driver}, "columnKind": "utf16CodeUnits", "results": results}
	return jsonObject{"$schema": sarifSchema, "version": "2.1.0", "runs": []jsonObject{run}}
}

// artifact is a file as SARIF names it: from the repository's root where it
// lies below, else by its whole path.
func artifact(path string) jsonObject {
	if filepath.IsAbs(filepath.FromSlash(path)) {
		return jsonObject{"uri": (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(path, "/")}).String()}
	}
	// A colon in the first part would read as a scheme without the ./ that
	// String puts before it.
	return jsonObject{"uri": (&url.URL{Path: path}).String(), "uriBaseId": "%SRCROOT%"}
}
