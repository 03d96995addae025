package apidocs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// curl returns a command that sends an operation's request; "" when curl cannot, as with WebSockets.
func (d *document) curl(method, path string, o operation) string {
	if o.Responses["101"] != nil {
		return ""
	}
	body, isJSON := o.RequestBody.Content["application/json"]
	form, isForm := o.RequestBody.Content["multipart/form-data"]
	parts := []string{"curl"}
	if method != "GET" && (method != "POST" || !isJSON && !isForm) {
		parts = append(parts, "-X "+method)
	}
	for _, p := range o.Parameters {
		if example := d.example(p); p.In == "path" && example != "" {
			path = strings.NewReplacer("{"+p.Name+"}", example, "{"+p.Name+"...}", example).Replace(path)
		}
	}
	if query := d.query(o); query != "" {
		path = `"$TAPROOT` + path + "?" + query + `"`
	} else {
		path = "$TAPROOT" + path
	}
	parts = append(parts, path)
	switch o.Scope {
	case "":
	case "person":
		parts = append(parts, `-H "Authorization: Bearer $TOKEN"`)
	default:
		parts = append(parts, `-H "X-API-Key: $TAPROOT_API_KEY"`)
	}
	if isForm {
		for name := range form.Schema.Properties {
			file := name + ".tar.gz"
			if name == "app" {
				file = "app.apk"
			}
			parts = append(parts, "-F "+name+"=@"+file)
		}
	}
	if isJSON {
		value := body.Example
		if value == nil {
			value = d.sample(body.Schema, 0)
		}
		text := &strings.Builder{}
		e := json.NewEncoder(text)
		e.SetEscapeHTML(false)
		if e.Encode(value) == nil { // cannot fail: it was decoded from JSON
			parts = append(parts, "-H 'Content-Type: application/json' -d '"+strings.ReplaceAll(strings.TrimSpace(text.String()),
				"'", `'\''`)+"'")
		}
	}
	return strings.Join(parts, " ")
}

// query returns the parameters that an operation requires.
func (d *document) query(o operation) string {
	var all []string
	for _, p := range o.Parameters {
		if p.In == "query" && p.Required {
			all = append(all, p.Name+"="+d.example(p))
		}
	}
	return strings.Join(all, "&")
}

// example returns a value of a parameter.
func (d *document) example(p parameter) string {
	switch {
	case p.Example != nil:
		return fmt.Sprint(p.Example)
	case len(p.Schema.Examples) > 0:
		return fmt.Sprint(p.Schema.Examples[0])
	}
	return ""
}

// maxDepth limits samples of recursive schemas.
const maxDepth = 4

// sample returns a value that matches a schema: of an object, the required properties and those with an example.
func (d *document) sample(s schema, depth int) any {
	s = d.resolved(s)
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	case depth == maxDepth:
		return nil
	}
	switch kind := kindOf(s); kind {
	case "object":
		value := map[string]any{}
		for name, p := range s.Properties {
			if slices.Contains(s.Required, name) || len(p.Examples) > 0 {
				value[name] = d.sample(p, depth+1)
			}
		}
		return value
	case "array":
		if s.Items != nil {
			return []any{d.sample(*s.Items, depth+1)}
		}
		return []any{}
	case "integer", "number":
		return 1
	case "boolean":
		return true
	}
	return "…"
}

// kindOf returns the type of a schema other than null.
func kindOf(s schema) string {
	if list, ok := s.Type.([]any); ok {
		for _, one := range list {
			if one != "null" {
				return fmt.Sprint(one)
			}
		}
	}
	if s.Type == nil && s.Properties != nil {
		return "object"
	}
	return fmt.Sprint(s.Type)
}
