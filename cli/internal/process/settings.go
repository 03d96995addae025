package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/joho/godotenv"

	"github.com/taproot-dev/taproot/runner/plan"
)

// Settings are the environment, and as a fallback the file .env of the working folder.
type Settings struct {
	env  *Env
	file map[string]string
}

// maxEnvFile is the limit of the size of .env.
const maxEnvFile = 1 << 20

func NewSettings(env *Env) (Settings, error) {
	s := Settings{env: env}
	path := filepath.Join(env.Dir, ".env")
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxEnvFile) {
		err = errors.New("not a file of settings")
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return s, &plan.Usage{Msg: ".env cannot be read: " + err.Error()}
	}
	// the parser's error is left out: it may contain secrets
	if s.file, err = godotenv.UnmarshalBytes(data); err != nil {
		return s, &plan.Usage{Msg: ".env cannot be parsed: write NAME=VALUE lines"}
	}
	return s, nil
}

// Lookup returns a setting, and whether it is set. It may be set to an empty text.
func (s Settings) Lookup(name string) (string, bool) {
	if value, ok := s.env.LookupEnv(name); ok {
		return value, true
	}
	value, ok := s.file[name]
	return value, ok
}

func (s Settings) Get(name string) string {
	value, _ := s.Lookup(name)
	return strings.TrimSpace(value)
}

// List returns a setting of several values.
func (s Settings) List(name string) []string {
	var list []string
	for _, part := range strings.Split(s.Get(name), ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// Boolean returns a setting that is on or off. Any other value is an error, never off.
func (s Settings) Boolean(name string) (bool, error) {
	value := s.Get(name)
	if value == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, &plan.Usage{Msg: fmt.Sprintf("%s=%q: use true or false", name, value)}
	}
	return on, nil
}

// Env is the process as a command sees it, so that a whole command can run inside a test.
type Env struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Environ        []string
	Dir            string // working folder
}

// SystemEnv is the real process.
func SystemEnv() *Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return &Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
		Environ: os.Environ(), Dir: dir}
}

// LookupEnv returns a variable, and whether it is set. It may be set to an empty text.
func (e *Env) LookupEnv(name string) (string, bool) {
	for _, entry := range e.Environ {
		if key, value, ok := strings.Cut(entry, "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}

// HasDisplay reports whether a browser can open a window.
func HasDisplay(env *Env) bool {
	return runtime.GOOS == "windows" || runtime.GOOS == "darwin" || env.Getenv("DISPLAY") != "" ||
		env.Getenv("WAYLAND_DISPLAY") != ""
}

// Exit ends a command with an exit code, after its messages were printed.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }
