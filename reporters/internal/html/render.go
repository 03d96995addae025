package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
)

//go:embed assets
var assets embed.FS

// scripts are put together in this order.
var scripts = []string{"base.js", "shots.js", "several.js", "pack.js",
	"panels.js", "dom.js", "timeline.js", "index.js", "start.js"}

// view is the data of a template.
type view struct {
	Kind   string // name of the template of the body
	Title  string
	Policy string
	Theme  template.JS // runs before anything is drawn
	Style  template.CSS
	Script template.JS
	Data   template.JS
	D      any
	Others []otherAttempt
}

// otherAttempt is another attempt of a test that the page contains, too.
type otherAttempt struct {
	N    int
	D    *packData
	Data template.JS
}

func packView(d *packData, others ...*packData) view {
	v := view{Kind: "pack", Title: sign(d.Result) + " " + d.ID, D: d}
	for _, o := range others {
		v.Others = append(v.Others, otherAttempt{N: o.Attempt, D: o})
	}
	return v
}

// render writes a page. Its policy names the page's own script and style by their hashes, so that nothing else runs,
// whatever a log or a label contains.
func render(w io.Writer, v view) error {
	data, err := json.Marshal(v.D) // which escapes <, >, &, U+2028 and U+2029
	if err != nil {
		return fmt.Errorf("encode data: %w", err)
	}
	for i := range v.Others {
		other, err := json.Marshal(v.Others[i].D)
		if err != nil {
			return fmt.Errorf("encode data: %w", err)
		}
		v.Others[i].Data = template.JS(other)
	}
	parts := map[string]string{}
	for _, name := range append([]string{"style.css", "theme.js"}, scripts...) {
		text, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return err
		}
		parts[name] = string(text)
	}
	var script strings.Builder
	script.WriteString("(function () {\n\"use strict\";\n")
	for _, name := range scripts {
		script.WriteString(parts[name])
	}
	script.WriteString("})();\n")
	v.Policy = policy(parts["style.css"], parts["theme.js"], script.String())
	v.Style, v.Theme = template.CSS(parts["style.css"]), template.JS(parts["theme.js"])
	v.Script, v.Data = template.JS(script.String()), template.JS(data)
	t, err := template.New("").Funcs(template.FuncMap{"sign": sign, "word": word, "short": short, "plural": phrase.Plural,
		"picture": imageURL, "first": firstOf, "rest": restOf, "devices": deviceWords}).ParseFS(assets, "assets/*.html")
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(w, "page", v)
}

func policy(style string, scripts ...string) string {
	allowed := ""
	for _, s := range scripts {
		allowed += " " + hash(s)
	}
	return "default-src 'none'; img-src 'self' data: file:; media-src 'self' data: blob: file:; style-src " + hash(style) +
		"; script-src" + allowed + "; base-uri 'none'; form-action 'none'"
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// sign is the symbol of a result, for places that are too small for a word.
func sign(v event.Result) string {
	switch v {
	case event.Pass:
		return "✓"
	case event.Warned:
		return "⚠"
	case event.Fail:
		return "✗"
	case event.Skipped:
		return "–"
	case event.Expected:
		return "~"
	case event.Interrupted:
		return "◼"
	case event.Unreached:
		return "○"
	}
	return "!"
}

func word(v event.Result) string {
	switch v {
	case event.Pass:
		return "Passed"
	case event.Warned:
		return "Failed, which the test allows"
	case event.Fail:
		return "Failed"
	case event.Skipped:
		return "Skipped"
	case event.Expected:
		return "Failed as expected"
	case event.Interrupted:
		return "Interrupted"
	case event.Unreached:
		return "Not reached"
	}
	return "Error"
}

// short is the last part of a run's name, or of a path.
func short(s string) string {
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		s = s[i+1:]
	}
	return s
}

// imageURL allows a preview, which was made here, as the URL of an image.
func imageURL(small string) template.URL {
	if !strings.HasPrefix(small, "data:image/") {
		return ""
	}
	return template.URL(small)
}

// firstFailures is how many of the things that went wrong are shown at once; one click shows the rest.
const firstFailures = 4

func firstOf(list []failureData) []failureData { return list[:min(len(list), firstFailures)] }
func restOf(list []failureData) []failureData  { return list[min(len(list), firstFailures):] }
