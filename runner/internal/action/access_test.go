package action

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
)

// TestRootKeepsFilesIn: with a root no name and no link leads out of it, for reading and for writing.
func TestRootKeepsFilesIn(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.txt")
	write(t, secret)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "app.apk"))
	if err := os.MkdirAll(filepath.Join(dir, "suite"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "suite", "rows.csv"))
	for name, to := range map[string]string{"link.txt": secret, "folder": outside,
		"dangling": filepath.Join(outside, "new.txt")} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	top := &Performer{Settings: Settings{Access: Access{Root: root}}}
	inner := &Performer{Settings: Settings{Access: Access{Root: root}, Dir: filepath.Join(dir, "suite")}}
	for _, c := range []struct {
		s    *Performer
		name string
		ok   bool
	}{
		{top, "app.apk", true}, {top, "suite/rows.csv", true}, {inner, "rows.csv", true}, {inner, "../app.apk", true},
		{top, "../secret.txt", false}, {top, secret, false}, {top, "link.txt", false}, {top, "folder/secret.txt", false},
		{inner, "../../secret.txt", false}, {inner, secret, false}, {top, "suite", false}, {top, "nothing.apk", false},
		{top, "", false},
		{top, filepath.Join(dir, "app.apk"), false},
	} {
		path, err := c.s.File(c.name)
		if ok := err == nil; ok != c.ok {
			t.Errorf("file(%q) = %q, %v", c.name, path, err)
		}
		var f *Failure
		if err != nil && (!errors.As(err, &f) || strings.Contains(err.Error(), dir) && !strings.HasPrefix(c.name, dir)) {
			t.Errorf("file(%q): %v", c.name, err)
		}
	}
	if path, err := top.upload("suite"); err == nil {
		t.Errorf("a caller from elsewhere uploads the folder %s", path)
	}
	if path, err := (&Performer{Settings: Settings{Dir: dir}}).upload("suite"); err != nil ||
		filepath.Base(path) != "suite" {
		t.Errorf("a local user's folder: %q, %v", path, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "saved.json"), []byte(`{"cookies": [], "origins": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "package.json"))
	for name, ok := range map[string]bool{"state/a.json": true, "saved.json": true, "package.json": false,
		"app.apk": false, "new.txt": false, "../a.json": false, "dangling": false, "folder/a.json": false, "suite": false} {
		path, err := top.fileFor(name)
		if (err == nil) != ok {
			t.Errorf("fileFor(%q) = %q, %v", name, path, err)
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
		t.Errorf("outside there are %v, %v", left, err)
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDialDecides: an http step connects to nothing that its session may not reach, after a redirect neither.
func TestDialDecides(t *testing.T) {
	t.Parallel()
	var asked []string
	refused := errors.New("refused by policy")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
	}))
	defer server.Close()
	s := &Performer{Timeout: DefaultTimeout,
		Settings: Settings{Access: Access{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			asked = append(asked, addr)
			if strings.HasPrefix(addr, "169.") {
				return nil, refused
			}
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		}}}}
	err := Perform(t.Context(), s, dsl.HTTP{URL: server.URL})
	if err == nil || !strings.Contains(err.Error(), refused.Error()) || len(asked) != 2 {
		t.Errorf("error %v, dialed %v", err, asked)
	}
}
