package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/internal/webtest"
	"github.com/taproot-dev/taproot/server"
)

// model starts a server that responds as an AI provider does.
func model(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w,
			`{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop",`+
				`"message":{"role":"assistant","content":"{\"passed\":true,\"reason\":\"it is\",`+
				`\"evidence\":[{\"text\":\"Password\",\"box\":[10,10,20,20]}]}"}}],"usage":{"prompt_tokens":1,`+
				`"completion_tokens":1,"total_tokens":2}}`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestDocument runs the lines of docs/rest.md against a simulated phone and a real page: each must succeed.
func TestDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/rest.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "\n```sh\n")
	block, _, _ = strings.Cut(block, "\n```")
	if strings.Count(block, "curl ") < 15 {
		t.Fatalf("there are few lines in %q", block)
	}
	site, ai := webtest.New(t), model(t)
	l := newLab(t, 1, func(o *server.Options) {
		getenv := o.Config.Getenv
		o.Config.Getenv = func(name string) string {
			switch name {
			case "OPENAI_API_KEY":
				return "sk-test"
			case "OPENAI_BASE_URL":
				return ai
			case "PATH", "HOME": // of ffmpeg
				return os.Getenv(name)
			}
			return getenv(name)
		}
	})
	if err := l.phones[0].WriteFile("/sdcard/Download/report.pdf", []byte("a report")); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string]string{filepath.Join(l.dir, "login.yaml"): strings.Replace(passing, "id: hello",
		"id: login\nvars: {USER: nobody}", 1)} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l.run(dir, "login.tar.gz")
	block = strings.NewReplacer("http://localhost:3210", l.http.URL, "emulator-5554", "SIM1", "https://example.com",
		site.URL).Replace(block)
	for _, line := range strings.Split(block, "\n") {
		if !strings.HasPrefix(line, "curl ") {
			continue
		}
		if strings.Contains(line, "/runs -H") {
			eventually(t, "the lease is over",
				func() bool { return l.ask("GET", "/devices/SIM1/lease", nil).json(t)["leased"] == false })
		}
		said := shell(t, dir, strings.Split(block, "\n")[0]+"\n"+line)
		if !strings.HasPrefix(said, "2") {
			t.Errorf("%s\n%s", line, said)
		}
		if strings.Contains(line, "assert") && !strings.Contains(said, `"passed":true`) {
			t.Errorf("%s\n%s", line, said)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "screen.png")); err != nil || info.Size() < 100 {
		t.Errorf("%v, %v", info, err)
	}
	if n := len(l.phones[0].Taps()); n != 1 {
		t.Errorf("%d taps", n)
	}
}

// run creates an archive of a pack.
func (l *lab) run(dir, name string) {
	l.t.Helper()
	id, _ := l.ask("POST", "/runs", map[string]any{"tests": []string{"login"}}).json(l.t)["id"].(string)
	if run := l.ended(id); run["result"] != "pass" {
		l.t.Fatalf("%v", run)
	}
	if err := os.WriteFile(filepath.Join(dir, name), l.ask("GET", "/reports/"+id+"/login.tar.gz", nil).body,
		0o600); err != nil {
		l.t.Fatal(err)
	}
}

// shell runs a command line in a shell. It returns the status and body of the response that curl received. Where curl
// is not installed, it uses a replacement that knows the flags of the document.
func shell(t *testing.T, dir, line string) string {
	t.Helper()
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	var complaints drivertest.Log // the programs of a pipeline write errors at once
	env := expand.ListEnviron(append(os.Environ(), "TAPROOT_API_KEY="+key)...)
	handler := func(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
		return func(ctx context.Context, args []string) error {
			if args[0] == "curl" {
				if _, err := exec.LookPath("curl"); err != nil {
					return curl(ctx, dir, args[1:], &out)
				}
				args = append(args, "-sS", "-w", "\n%{http_code}")
			}
			return next(ctx, args)
		}
	}
	r, err := interp.New(interp.Env(env), interp.Dir(dir), interp.StdIO(nil, &out, &complaints),
		interp.ExecHandlers(handler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if err := r.Run(ctx, file); err != nil {
		t.Errorf("%s: %v: %s", line, err, complaints.String())
	}
	body, status := out.String(), ""
	if i := strings.LastIndexByte(body, '\n'); i >= 0 {
		body, status = body[:i], body[i+1:]
	}
	return status + " " + body
}

// curl implements the part of curl that the document uses.
func curl(ctx context.Context, dir string, args []string, out io.Writer) error {
	method, url, file := http.MethodGet, "", ""
	var body io.Reader
	header := http.Header{}
	for i := 0; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") {
			url = args[i]
			continue
		}
		flag := args[i]
		i++
		switch flag {
		case "-X":
			method = args[i]
		case "-H":
			name, value, _ := strings.Cut(args[i], ": ")
			header.Set(name, value)
		case "-d":
			method, body = http.MethodPost, strings.NewReader(args[i])
		case "-o":
			file = args[i]
		case "-F":
			data, err := os.ReadFile(filepath.Join(dir, strings.TrimPrefix(args[i], "pack=@")))
			if err != nil {
				return err
			}
			form := &bytes.Buffer{}
			fmt.Fprintf(form, "--x\r\nContent-Disposition: form-data; name=\"pack\"; filename=\"p\"\r\n\r\n%s\r\n--x--\r\n",
				data)
			method, body = http.MethodPost, form
			header.Set("Content-Type", "multipart/form-data; boundary=x")
		default:
			return fmt.Errorf("this curl knows no %s", flag)
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return err
	}
	r.Header = header
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(res.Body)
	if err == nil {
		err = res.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	if err == nil && file != "" {
		err, data = os.WriteFile(filepath.Join(dir, file), data, 0o600), nil
	}
	fmt.Fprintf(out, "%s\n%d", data, res.StatusCode)
	return err
}
