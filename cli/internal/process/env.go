package process

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

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
