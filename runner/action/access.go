package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
)

// Access is what a session may touch of the machine it runs on. The zero value is a local user's: everything.
type Access struct {
	// Root holds the files that steps may name; nil: any file, relative to Session.Dir.
	Root *os.Root
	// NoFile is what else is reported of a missing file, such as how to send one; "": nothing.
	NoFile string
	// Dial makes the connections of http steps; nil: the system's own.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Address refuses addresses that pages and links must not be opened at; nil: none.
	Address func(ctx context.Context, address string) error
}

// mayOpen refuses an address that this session must not open.
func (c *Settings) mayOpen(ctx context.Context, address string) error {
	if c.Access.Address == nil {
		return nil
	}
	if err := c.Access.Address(ctx, address); err != nil {
		return &refusal{Failure{event.Problem{Message: err.Error(), Kind: event.Refused}}, err}
	}
	return nil
}

// refusal is a Failure with a reason that callers can read.
type refusal struct {
	Failure
	err error
}

func (r *refusal) Unwrap() []error { return []error{&r.Failure, r.err} }

// badFile is about a file that a step names: the author of the step is to blame, not the app.
func badFile(format string, args ...any) *Failure {
	p := problem(format, args...)
	p.Kind = event.BadFile
	return &Failure{p}
}

// File returns the real path of a file that a script names.
func (s *Session) File(name string) (string, error) { return s.file(name, s.Platform) }

// app returns the real path of an app in a file, or of one that is a folder: a bundle of iOS, split APKs of Android.
func (s *Session) app(name string) (string, error) {
	path, err := s.path(name)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() && s.Platform == dsl.Android {
		return path, nil
	}
	return s.File(name)
}

// file returns the real path of a file that a step names; on iOS an app is a folder.
func (c *Settings) file(name string, on dsl.Platform) (string, error) {
	path, err := c.path(name)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", badFile("there is no file %s%s", c.shown(name, path), c.Access.NoFile)
	case err != nil:
		return "", err
	case info.IsDir() && on == dsl.IOS && filepath.Ext(path) == ".app": // an app of iOS is a folder
		return path, nil
	case !info.Mode().IsRegular():
		return "", &Failure{problem("%s is not a file", c.shown(name, path))}
	}
	return path, nil
}

// upload returns the real path of a file, or of a folder that is uploaded with all that it holds. A caller from
// elsewhere uploads no folders: a link in one may lead anywhere.
func (s *Session) upload(name string) (string, error) {
	if s.Access.Root == nil {
		path, err := s.path(name)
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path, nil
		}
	}
	return s.File(name)
}

// fileFor returns the real path of a saved state that a step writes; its folder is made. A caller from elsewhere can
// write such files only, over nothing else.
func (c *Settings) fileFor(name string) (string, error) {
	path, err := c.path(name)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", &Failure{problem("%s is not a file", c.shown(name, path))}
	}
	if c.Access.Root != nil && !mayBeState(path) {
		return "", &Failure{problem("%q cannot be written: name a .json file that is new or holds a saved state", name)}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("folder of %s: %w", name, err)
	}
	return path, nil
}

// mayBeState reports whether there is a saved state at path, or can be one.
func mayBeState(path string) bool {
	if filepath.Ext(path) != ".json" {
		return false
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	var state struct {
		Cookies *[]any `json:"cookies"`
		Origins *[]any `json:"origins"`
	}
	return err == nil && json.Unmarshal(data, &state) == nil && state.Cookies != nil && state.Origins != nil
}

// path returns the real path of a name, whether or not there is a file. With a root, a name or a link that leads
// out of it is the caller's mistake.
func (c *Settings) path(name string) (string, error) {
	if c.Dir == "" && c.Access.Root == nil {
		return "", &Failure{problem("%q: only a test in a file can name files", name)}
	}
	path := filepath.FromSlash(name)
	if c.Dir != "" && !filepath.IsAbs(path) {
		path = filepath.Join(c.Dir, path)
	}
	if c.Access.Root == nil {
		return path, nil
	}
	inside := path
	if c.Dir != "" && !filepath.IsAbs(filepath.FromSlash(name)) {
		var err error
		if inside, err = filepath.Rel(c.Access.Root.Name(), path); err != nil {
			return "", err
		}
	}
	if _, err := c.Access.Root.Stat(inside); hidden(inside) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", badFile("%q cannot be used: files lie below the folder that the server was given, without links out of it",
			name)
	}
	return filepath.Join(c.Access.Root.Name(), inside), nil
}

// hidden reports whether a part of a path starts with a dot: .env and .git are not files for callers from elsewhere.
func hidden(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "."
	})
}

// shown is how messages call a file: by its path to who may see it, else as it was named.
func (c *Settings) shown(name, path string) string {
	if c.Access.Root != nil {
		return name
	}
	return path
}
