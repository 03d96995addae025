package apidocs

import (
	"strings"
	"testing"
)

// TestExamples: each request has a command that a shell accepts unchanged.
func TestExamples(t *testing.T) {
	const document = `{"tags": [{"name": "runs", "description": "Running tests."}], "paths": {
		"/runs": {"get": {"operationId": "list", "tags": ["runs"], "x-scope": "runs:read"},
			"post": {"operationId": "start", "tags": ["runs"], "x-scope": "runs:write", "requestBody": {"content": ` +
		`{"application/json": {"schema": {"$ref": "#/components/schemas/Run"}}}}}},
		"/runs/{id}": {"delete": {"operationId": "cancel", "tags": ["runs"], "x-scope": "person", "parameters": [{"name": ` +
		`"id", "in": "path", "example": "one"}]}},
		"/runs/{id}/say": {"post": {"operationId": "say", "tags": ["runs"], "parameters": [{"name": "id", "in": "path", ` +
		`"schema": {"examples": ["two"]}}],
			"requestBody": {"content": {"application/json": {"schema": {}, "example": {"text": "it's <b>"}}}}}},
		"/runs/upload": {"post": {"operationId": "upload", "tags": ["runs"], "requestBody": {"content": ` +
		`{"multipart/form-data": {"schema": {"properties": {"pack": {}}}}}}}},
		"/runs/watch": {"get": {"operationId": "watch", "tags": ["runs"], "responses": {"101": {}}}}},
		"components": {"schemas": {"Run": {"type": "object", "required": ["name", "on", "many", "self"], "properties": ` +
		`{"name": {"type": ["string", "null"]}, "on": {"type": "boolean"},
			"many": {"type": "array", "items": {"type": "integer"}}, "kind": {"enum": ["a", "b"]}, "note": {"examples": ["x"]}` +
		`, "self": {"$ref": "#/components/schemas/Run"}}}}}}`
	data, err := Page([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("&#34;", `"`, "&#39;", "'", "&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(string(data))
	for _, want := range []string{
		`<pre tabindex="0">curl $TAPROOT/runs -H "X-API-Key: $TAPROOT_API_KEY"</pre>`,
		`curl $TAPROOT/runs -H "X-API-Key: $TAPROOT_API_KEY" -H 'Content-Type: application/json' -d '{"many":[1],` +
			`"name":"…","note":"x","on":true,"self":{`,
		`curl -X DELETE $TAPROOT/runs/one -H "Authorization: Bearer $TOKEN"</pre>`,
		`curl $TAPROOT/runs/two/say -H 'Content-Type: application/json' -d '{"text":"it'\''s <b>"}'</pre>`,
		`curl $TAPROOT/runs/upload -F pack=@pack.tar.gz</pre>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if n := strings.Count(text, "<pre"); n != 5 {
		t.Errorf("%d commands in\n%s", n, text)
	}
	if _, err := Page([]byte("no JSON")); err == nil {
		t.Error("a page was rendered without a document")
	}
}
