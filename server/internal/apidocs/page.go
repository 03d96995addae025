// Package apidocs renders the documentation of the REST API. It takes an OpenAPI document and writes HTML without
// scripts and external files, with a curl command for each request.
package apidocs

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed" // the page
	_ "embed" // the viewer
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

//go:embed page.html
var pageText string

// page is parsed at its first use, so that commands start without it.
var page = sync.OnceValue(func() *template.Template { return template.Must(template.New("docs").Parse(pageText)) })

// Page renders the document as one page without scripts.
func Page(openapi []byte) ([]byte, error) {
	var d document
	if err := json.Unmarshal(openapi, &d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	var out bytes.Buffer
	err := page().Execute(&out, d.chapters())
	return out.Bytes(), err
}

type chapter struct {
	Name, Doc string
	Entries   []entry
}

type entry struct {
	Method, Path, Summary, Doc, Scope string
	Curl                              string
	Fields                            []field
}

type field struct {
	Name, Type, Doc string
	Required        bool
}

// document is the part of openapi.json that the page shows.
type document struct {
	Tags []struct {
		Name, Description string
	}
	Paths      map[string]map[string]operation
	Components struct {
		Schemas map[string]schema
	}
}

type operation struct {
	Tags                 []string
	Summary, Description string
	Scope                string `json:"x-scope"`
	Parameters           []parameter
	Responses            map[string]any
	RequestBody          struct {
		Content map[string]struct {
			Schema  schema
			Example any
		}
	}
}

type parameter struct {
	Name, In string
	Example  any
	Required bool
	Schema   schema
}

type schema struct {
	Ref         string `json:"$ref"`
	Type        any
	Description string
	Properties  map[string]schema
	Required    []string
	Items       *schema
	Examples    []any
	Default     any
	Enum        []any
}

func (d *document) chapters() (all []chapter) {
	for _, tag := range d.Tags {
		c := chapter{Name: tag.Name, Doc: tag.Description}
		for path, methods := range d.Paths {
			for method, o := range methods {
				if !slices.Contains(o.Tags, tag.Name) {
					continue
				}
				c.Entries = append(c.Entries, entry{strings.ToUpper(method), path, o.Summary, o.Description, o.Scope,
					d.curl(strings.ToUpper(method), path, o), d.fields(o.RequestBody.Content["application/json"].Schema)})
			}
		}
		slices.SortFunc(c.Entries, func(a, b entry) int {
			return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
		})
		all = append(all, c)
	}
	return all
}

// resolved follows a reference.
func (d *document) resolved(s schema) schema {
	const prefix = "#/components/schemas/"
	if name, ok := strings.CutPrefix(s.Ref, prefix); ok {
		return d.Components.Schemas[name]
	}
	return s
}

func (d *document) fields(body schema) (list []field) {
	body = d.resolved(body)
	for name, p := range body.Properties {
		kind := fmt.Sprint(p.Type)
		if p.Ref != "" {
			kind = p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]
		}
		list = append(list, field{name, kind, p.Description, slices.Contains(body.Required, name)})
	}
	slices.SortFunc(list, func(a, b field) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Try is the page on which users write and send requests.
//
//go:embed try.html
var Try []byte

// viewer is openapi-explorer 2.4.820 of npm (Apache-2.0, see LICENSE in its folder):
// dist/browser/openapi-explorer.min.js, compressed with gzip -9n.
//
//go:embed viewer/openapi-explorer.min.js.gz
var viewer []byte

// ServeViewer serves the script of Try.
func ServeViewer(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=3600")
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		_, err := w.Write(viewer)
		return err
	}
	plain, err := gzip.NewReader(bytes.NewReader(viewer))
	if err != nil {
		return err
	}
	_, err = io.Copy(w, plain)
	return err
}
