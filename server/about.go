package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const apiDoc = `Drives phones and browsers, and runs tests on them.

Every path is served at the root and under /api. With authentication on, every operation but those without a lock needs
Authorization: Bearer <token or key>, or X-API-Key: <key>; x-scope names the scope that a token needs. Errors are always
{"error": code, "message": text}. An assertion that does not hold is an answer: 200 {"passed": false, …}.`

type about struct {
	Name    string `json:"name" example:"taproot"`
	Version string `json:"version"`
	Docs    string `json:"docs" doc:"Path of the documentation." example:"/docs"`
	OpenAPI string `json:"openapi" doc:"Path of the OpenAPI document." example:"/openapi.json"`
}

type health struct {
	Status string `json:"status" enum:"ok,ready"`
}

func (s *Server) about(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, about{"taproot", s.o.Version, "/docs", "/openapi.json"})
	return nil
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, health{"ok"})
	return nil
}

// ready finds out whether reports can be kept.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if s.closing.Load() {
		return fault(http.StatusServiceUnavailable, codeUnavailable, "the server is shutting down")
	}
	if err := writable(s.o.Config.Reports); err != nil {
		s.log.Warn("reports cannot be kept", "error", err)
		return fault(http.StatusServiceUnavailable, codeUnavailable, "reports cannot be kept; the log says why")
	}
	writeJSON(w, http.StatusOK, health{"ready"})
	return nil
}

func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".ready-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	if closed := f.Close(); err == nil {
		err = closed
	}
	if removed := os.Remove(filepath.Clean(f.Name())); err == nil {
		err = removed
	}
	return err
}

func (s *Server) openapi(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(s.document)
	return err
}

// finishDocument writes openapi.json once.
func (s *Server) finishDocument() (err error) {
	s.document, err = json.Marshal(s.api.OpenAPI())
	if err != nil {
		return fmt.Errorf("describe the API: %w", err)
	}
	return nil
}

// docs is the document as one page, without scripts, so that it works without any other server.
func (s *Server) docs(w http.ResponseWriter, _ *http.Request) error {
	var page bytes.Buffer
	if err := docsPage.Execute(&page, s.chapters()); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	_, err := w.Write(page.Bytes())
	return err
}

type chapter struct {
	Name, Doc string
	Entries   []entry
}

type entry struct {
	Method, Path, Summary, Doc, Scope string
	Fields                            []docField
}

type docField struct {
	Name, Type, Doc string
	Required        bool
}

// document is as much of openapi.json as the page shows.
type document struct {
	Paths map[string]map[string]struct {
		Tags                 []string
		Summary, Description string
		Scope                string `json:"x-scope"`
		RequestBody          struct {
			Content map[string]struct {
				Schema docSchema
			}
		}
	}
	Components struct {
		Schemas map[string]docSchema
	}
}

type docSchema struct {
	Ref         string `json:"$ref"`
	Type        any
	Description string
	Properties  map[string]docSchema
	Required    []string
	Items       *docSchema
}

func (s *Server) chapters() []chapter {
	var d document
	if json.Unmarshal(s.document, &d) != nil {
		return nil // it was marshalled here
	}
	var all []chapter
	for _, tag := range s.api.OpenAPI().Tags {
		c := chapter{Name: tag.Name, Doc: tag.Description}
		for path, methods := range d.Paths {
			for method, o := range methods {
				if !slices.Contains(o.Tags, tag.Name) {
					continue
				}
				c.Entries = append(c.Entries, entry{strings.ToUpper(method), path, o.Summary, o.Description, o.Scope, d.fields(o.RequestBody.Content["application/json"].Schema)})
			}
		}
		slices.SortFunc(c.Entries, func(a, b entry) int { return strings.Compare(a.Path+a.Method, b.Path+b.Method) })
		all = append(all, c)
	}
	return all
}

func (d *document) fields(schema docSchema) (list []docField) {
	if name, ok := strings.CutPrefix(schema.Ref, schemaPrefix); ok {
		schema = d.Components.Schemas[name]
	}
	for name, p := range schema.Properties {
		kind := fmt.Sprint(p.Type)
		if ref, ok := strings.CutPrefix(p.Ref, schemaPrefix); ok {
			kind = ref
		}
		list = append(list, docField{name, kind, p.Description, slices.Contains(schema.Required, name)})
	}
	slices.SortFunc(list, func(a, b docField) int { return strings.Compare(a.Name, b.Name) })
	return list
}

var docsPage = template.Must(template.New("docs").Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Taproot API</title><style>
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c2430;background:#fff}
code,.m{font-family:ui-monospace,monospace}.m{font-weight:600}h2{margin-top:2.5rem;border-bottom:1px solid #ccd}
details{margin:.4rem 0}summary{cursor:pointer}dl{margin:.3rem 0 .8rem 1.5rem}dd{margin-left:1.5rem}.s{color:#566}
@media(prefers-color-scheme:dark){body{color:#dde;background:#14181f}h2{border-color:#334}.s{color:#9ab}}
</style><h1>Taproot API</h1><p>Every path is served at the root and under <code>/api</code>. The same for programs: <a href="openapi.json">openapi.json</a>.</p>
{{range .}}<h2>{{.Name}}</h2><p>{{.Doc}}</p>{{range .Entries}}<details><summary><span class="m">{{.Method}} {{.Path}}</span> <span class="s">{{.Summary}}</span></summary>
<dl>{{if .Doc}}<dd>{{.Doc}}</dd>{{end}}{{if .Scope}}<dd class="s">scope <code>{{.Scope}}</code></dd>{{end}}
{{range .Fields}}<dt><code>{{.Name}}</code> <span class="s">{{.Type}}{{if .Required}}, required{{end}}</span></dt><dd>{{.Doc}}</dd>{{end}}</dl></details>{{end}}{{end}}</html>
`))
