package project

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/runtest"
)

// The YAML language server of editors completes and explains with the schema that taproot prints: in an empty file, for
// a step, for the name of a key.
func TestEditorsUseTheSchema(t *testing.T) {
	t.Parallel()
	editor := newLanguageServer(t)
	head := "id: a\nplatform: web\nsteps:\n"
	for _, c := range []struct {
		text string // | is the cursor
		want []string
		not  []string
	}{
		{"|", []string{"id", "platform", "steps", "vars", "tags"}, []string{"tap", "url"}},
		{"i|", []string{"id"}, nil},
		{"# a test of the shop\n|", []string{"id", "platform", "steps"}, nil},
		{"steps:\n  - tap: Buy\n|", []string{"id", "blocks"}, []string{"steps"}},
		{"id: a\n|", []string{"platform", "steps"}, []string{"id"}},
		{"id: a\nplatform: |", []string{"android", "ios", "both", "web"}, nil},
		{head + "  - |", []string{"tap", "openBrowser", "assert", "press", "run"}, []string{"id", "platform"}},
		{head + "  - tap: Buy\n  - w|", []string{"waitFor", "webClick"}, []string{"platform"}},
		{head + "  - tap:\n      |", []string{"label", "rightOf", "timeoutMs"}, []string{"tap", "url"}},
		{head + "  - press: |", []string{"enter", "tab", "pageUp", "volumeDown"}, []string{"label"}},
		{head + "  - press: [enter, t|]", []string{"tab"}, nil},
		{head + "  - webClick:\n      button: |", []string{"left", "middle", "right"}, nil},
		{head + "  - tap: {label: Buy, match: |}", []string{"exact", "words", "regex"}, nil},
	} {
		var got struct{ Items []struct{ Label string } }
		editor.ask(t, "textDocument/completion", c.text, &got)
		var labels []string
		for _, item := range got.Items {
			labels = append(labels, item.Label)
		}
		for _, w := range c.want {
			if n := len(slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return l != w })); n != 1 {
				t.Errorf("%q: %q is proposed %d times, among %q", c.text, w, n, labels)
			}
		}
		for _, n := range c.not {
			if slices.Contains(labels, n) {
				t.Errorf("%q: %q is proposed", c.text, n)
			}
		}
	}
	for _, c := range []struct{ text, want string }{
		{"i|d: a\n", "The id of the test"},
		{head + "  - t|ap: Sign in\n", "taps it once"},
		{head + "  - t|ap: {label: Sign in}\n", "taps it once"},
		{head + "  - tap: {la|bel: Sign in}\n", "What a person reads"},
		{head + "  - pr|ess: enter\n", "Presses keys"},
		{head + "  - pr|ess: [enter, control+a]\n", "Presses keys"},
		{head + "  - hide|Keyboard:\n", "Closes the keyboard"},
		{head + "  - open|Browser: https://example.com\n", "Opens"},
		{head + "  - tap: {label: Buy, rig|htOf: Milk}\n", "in the same row"},
	} {
		var got struct{ Contents struct{ Value string } }
		editor.ask(t, "textDocument/hover", c.text, &got)
		if !strings.Contains(got.Contents.Value, c.want) {
			t.Errorf("%q: hovering says %q, want %q", c.text, got.Contents.Value, c.want)
		}
	}
	data, err := os.ReadFile(editor.schema)
	if err != nil || bytes.ContainsAny(bytes.TrimSpace(data), "\n") {
		t.Errorf("the schema is not in one line, %v", err)
	}
}

// languageServer is a YAML language server with the schema of tests.
type languageServer struct {
	schema string
	in     io.Writer
	out    *bufio.Reader
	calls  int
	files  int
}

func newLanguageServer(t *testing.T) *languageServer {
	t.Helper()
	dir := t.TempDir()
	s := &languageServer{schema: filepath.Join(dir, "test.schema.json")}
	if _, _, errs, code := tool(t, SchemaCommand, nil, "-o", s.schema); code != 0 {
		t.Fatalf("taproot schema ends with %d: %s", code, errs)
	}
	packages := runtest.NPMInstall(t, "yaml-language-server@1.19.2")
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(packages, "node_modules", "yaml-language-server", "bin",
		"yaml-language-server"), "--stdio")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	s.in, s.out = in, bufio.NewReader(out)
	s.call(t, "initialize", map[string]any{"processId": nil, "rootUri": nil, "capabilities": map[string]any{
		"workspace": map[string]any{"configuration": true},
		"textDocument": map[string]any{"hover": map[string]any{"contentFormat": []string{"plaintext"}},
			"completion": map[string]any{"completionItem": map[string]any{"snippetSupport": true}}}}}, nil)
	s.send(t, map[string]any{"method": "initialized", "params": map[string]any{}})
	s.send(t, map[string]any{"method": "workspace/didChangeConfiguration", "params": map[string]any{
		"settings": map[string]any{}}})
	for { // the server requests its settings, and responds without them until it has them
		var got struct{ Items []any }
		if s.ask(t, "textDocument/completion", "id: a\nplatform: |", &got); len(got.Items) > 0 {
			return s
		}
	}
}

// settings returns the settings of an editor for the sections that a language server requests.
func (s *languageServer) settings(items []struct{ Section string }) []any {
	all := make([]any, len(items))
	for i, item := range items {
		all[i] = map[string]any{}
		if item.Section == "yaml" {
			all[i] = map[string]any{
				"schemas":    map[string]string{address(s.schema): "*.yaml"},
				"hover":      true,
				"completion": true,
				"validate":   false,
			}
		}
	}
	return all
}

func address(file string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
}

// ask opens a file with the text and sends a request for the position of the cursor.
func (s *languageServer) ask(t *testing.T, method, text string, answer any) {
	t.Helper()
	before, after, _ := strings.Cut(text, "|")
	s.files++
	at := address(filepath.Join(filepath.Dir(s.schema), fmt.Sprint(s.files, ".yaml")))
	s.send(t, map[string]any{"method": "textDocument/didOpen", "params": map[string]any{"textDocument": map[string]any{
		"uri": at, "languageId": "yaml", "version": 1, "text": before + after}}})
	line := strings.Count(before, "\n")
	column := len(before) - strings.LastIndexByte(before, '\n') - 1
	s.call(t, method, map[string]any{"textDocument": map[string]string{"uri": at}, "position": map[string]int{
		"line": line, "character": column}}, answer)
}

func (s *languageServer) send(t *testing.T, message map[string]any) {
	t.Helper()
	message["jsonrpc"] = "2.0"
	data, err := json.Marshal(message)
	if err == nil {
		_, err = fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(data), data)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// call sends a request and reads until its response; meanwhile the server requests its settings.
func (s *languageServer) call(t *testing.T, method string, params, answer any) {
	t.Helper()
	s.calls++
	s.send(t, map[string]any{"id": s.calls, "method": method, "params": params})
	for {
		header, err := textproto.NewReader(s.out).ReadMIMEHeader()
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, n)
		if _, err := io.ReadFull(s.out, data); err != nil {
			t.Fatal(err)
		}
		var message struct {
			ID            any
			Method        string
			Params        struct{ Items []struct{ Section string } }
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(data, &message); err != nil {
			t.Fatal(err)
		}
		switch id, isNumber := message.ID.(float64); {
		case message.Method != "" && message.ID != nil:
			s.send(t, map[string]any{"id": message.ID, "result": s.settings(message.Params.Items)})
		case message.Method != "" || !isNumber || int(id) != s.calls:
		case message.Error != nil:
			t.Fatalf("%s: %s", method, message.Error)
		case answer == nil:
			return
		default:
			if err := json.Unmarshal(message.Result, answer); err != nil {
				t.Fatalf("%s: %s: %v", method, message.Result, err)
			}
			return
		}
	}
}
