package widgets_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/runtest"
)

// A site serves the pages of some libraries, and takes what their models post.
type site struct {
	*httptest.Server
	mu     sync.Mutex
	models map[string]posts
}

// posts are what the models of a page were at first and last.
type posts struct{ first, last map[string]any }

const page = `<!doctype html>
<html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width, initial-scale=1"><title>%[1]s</title>
<link rel=icon href="data:,"><link rel=stylesheet href="/built/%[1]s.css">
<style>body { margin: 16px; font-family: sans-serif }</style>
<body><div id=app></div><script src=/model.js></script><script src="/built/%[1]s.js"></script>`

// newSite serves the pages of a folder of testdata with the libraries that its package-lock.json names.
func newSite(t testing.TB, dir string) *site {
	t.Helper()
	modules := filepath.Join(runtest.NPMLocked(t, dir), "node_modules")
	s := &site{models: map[string]posts{}}
	built := http.FileServer(http.Dir(bundle(t, dir, modules)))
	mux := http.NewServeMux()
	mux.Handle("GET /built/", http.StripPrefix("/built/", built))
	mux.Handle("GET /node_modules/", http.StripPrefix("/node_modules/", http.FileServer(http.Dir(modules))))
	mux.HandleFunc("GET /model.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, "testdata/model.js")
	})
	mux.HandleFunc("POST /model", s.take)
	mux.HandleFunc("GET /pages/{name}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(w, page, r.PathValue("name")) // a page that went away reads no answer
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *site) take(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	var model map[string]any
	if err == nil {
		err = json.Unmarshal(text, &model)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	run := r.URL.Query().Get("run")
	had, again := s.models[run]
	if !again {
		had.first = model
	}
	had.last = model
	s.models[run] = had
}

func (s *site) posted(run string) posts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.models[run]
}

// bundle builds the scripts and styles of the pages of a folder, once for each state of them, and returns the folder
// that has them.
func bundle(t testing.TB, dir, modules string) string {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(dir, "pages", "*.jsx"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("no pages in %s: %v", dir, err)
	}
	sum := sha256.New()
	_, _ = io.WriteString(sum, modules) // a hash takes all
	for _, file := range sources {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", file, len(text), text)
	}
	out := filepath.Join(filepath.Dir(modules), "built", hex.EncodeToString(sum.Sum(nil)[:8]))
	if _, err := os.Stat(out); err == nil {
		return out
	}
	into, err := filepath.Abs(filepath.Join(filepath.Dir(modules), "built",
		"."+filepath.Base(t.TempDir())+fmt.Sprint(os.Getpid())))
	if err != nil {
		t.Fatal(err)
	}
	args := append(sources, "--bundle", "--outdir="+into, "--format=iife", "--jsx=automatic", "--target=es2022",
		"--log-level=error", "--legal-comments=none",
		`--define:process.env.NODE_ENV="production"`, "--define:__VUE_OPTIONS_API__=true",
		"--define:__VUE_PROD_DEVTOOLS__=false",
		"--define:__VUE_PROD_HYDRATION_MISMATCH_DETAILS__=false", "--public-path=/built",
		`--banner:js=var process = {env: {NODE_ENV: "production"}};`)
	for _, kind := range []string{"svg", "png", "webp", "gif", "woff", "woff2", "ttf", "eot"} {
		args = append(args, "--loader:."+kind+"=file")
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(modules, ".bin", "esbuild"), args...)
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the pages of %s cannot be built: %v\n%s", dir, err, said)
	}
	for _, file := range sources { // those that have no style sheet
		name := strings.TrimSuffix(filepath.Base(file), ".jsx") + ".css"
		f, err := os.OpenFile(filepath.Join(into, name), os.O_CREATE|os.O_WRONLY, 0o644)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(into, out); err != nil {
		_ = os.RemoveAll(into) // another run was faster
	}
	return out
}
