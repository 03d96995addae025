// Package session has the commands of the shell's sessions: open, do, snapshot, save, close, and one for each action; a
// command line goes in, a request to the background process or to a REST server comes out.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/internal/shell"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// ProcessName is the command that the first command of a session starts in the background.
const ProcessName = "session-process"

// Flags are the flags of every command that uses a session.
type Flags struct {
	session, Device, then, server string
	expose                        []string
	json                          bool
}

func (f *Flags) add(cmd *cobra.Command, acts bool) {
	flags := cmd.Flags()
	flags.StringVar(&f.session, "session", "", "use the session with this `NAME` instead of the project's default one")
	flags.StringVar(&f.Device, "device", "", "use the phone or page with this `ID`, if there are several")
	flags.StringVar(&f.server, "server", "", "use the REST server at this `URL` instead (with TAPROOT_API_KEY)")
	flags.StringSliceVar(&f.expose, "expose-env", nil,
		"let texts contain these environment variables, `NAME,…`, as ${NAME}; their values are hidden in responses")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	if acts {
		flags.StringVar(
			&f.then,
			"then",
			"",
			"print the effect afterwards: `VIEW` is "+strings.Join(client.FollowUps(), ", "),
		)
	}
}

// check validates the flags before a process is started for them.
func (f *Flags) check() error {
	for _, look := range client.FollowUps() {
		if f.then == look {
			return nil
		}
	}
	if f.then != "" {
		return &plan.Usage{Msg: fmt.Sprintf("--then %q: write %s", f.then, strings.Join(client.FollowUps(), ", "))}
	}
	return nil
}

// Client returns the client of the background process.
func Client(env *process.Env) (shell.Client, error) {
	program, err := os.Executable()
	if err != nil {
		return shell.Client{}, err
	}
	return shell.Client{Dir: shell.Folder(env.Getenv), Build: buildID(program), Program: []string{program, ProcessName},
		Env: env.Environ}, nil
}

// buildID distinguishes builds of the program, also those without a version.
func buildID(program string) string {
	b := process.ThisBuild()
	id := b.Version
	if info, err := os.Stat(program); err == nil {
		id += "+" + strconv.FormatInt(info.ModTime().Unix(), 36) + "." + strconv.FormatInt(info.Size(), 36)
	}
	return id
}

// Send sends a command to the session and prints the response.
func (f *Flags) Send(ctx context.Context, env *process.Env, req shell.Request) error {
	answer, err := f.ask(ctx, env, req)
	if err != nil {
		return sessionError(env, err)
	}
	return f.print(env, answer)
}

// ask sends a command to the session, or to the server of --server.
func (f *Flags) ask(ctx context.Context, env *process.Env, req shell.Request) (shell.Response, error) {
	if err := f.check(); err != nil {
		return shell.Response{}, err
	}
	if f.server != "" {
		return f.askServer(ctx, env, req)
	}
	way, err := Client(env)
	if err != nil {
		return shell.Response{}, err
	}
	req.Project, req.Session, req.Dir = run.ProjectRoot(env.Dir), f.session, env.Dir
	req.Device, req.Then, req.Expose = f.Device, f.then, f.expose
	req.Caller = fmt.Sprintf("taproot %s (process %d)", strings.Join(env.Args[:min(1, len(env.Args))], ""), os.Getpid())
	req.Env = map[string]string{}
	for _, entry := range env.Environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			req.Env[name] = value
		}
	}
	return way.Do(ctx, req)
}

// references lists those of the last snapshot for completion, each with its element. It does not start a session.
func (f *Flags) references(ctx context.Context, env *process.Env, typed string) (list []string) {
	if ctx == nil {
		ctx = context.Background()
	}
	way, err := Client(env)
	if err != nil || f.server != "" {
		return nil
	}
	if _, err := way.Sessions(ctx); err != nil {
		return nil
	}
	answer, err := f.ask(ctx, env, shell.Request{Op: shell.OpRefs})
	if err != nil {
		return nil
	}
	for _, line := range strings.Split(answer.Text, "\n") {
		if ref, words, ok := strings.Cut(line, " "); ok && strings.HasPrefix(ref, typed) {
			list = append(list, ref+"\t"+words)
		}
	}
	return list
}

// sessionError explains why there was no response. The exit code is that of a lost device.
func sessionError(env *process.Env, err error) error {
	var usage *plan.Usage
	if errors.As(err, &usage) {
		return err
	}
	fmt.Fprintf(env.Stderr, "taproot: %v\n", err)
	if errors.Is(err, context.Canceled) {
		return process.Exit(run.ExitInterrupted)
	}
	return process.Exit(run.ExitError)
}

// printed is a response as --json prints it.
type printed struct {
	shell.Response
	Screenshots []string `json:"screenshots,omitempty"` // paths
	Files       []string `json:"files,omitempty"`
}

// print prints a response: successes on stdout, errors on stderr. It saves images and files in the working folder.
func (f *Flags) print(env *process.Env, a shell.Response) error {
	p := printed{Response: a}
	for _, picture := range a.Images {
		name := "taproot-" + time.Now().UTC().Format("2006-01-02T15-04-05.000") + "." + strings.TrimPrefix(picture.Kind,
			"image/")
		if err := keepFile(env, name, picture.Data, &p.Screenshots); err != nil {
			return err
		}
	}
	for _, file := range a.Files {
		if err := keepFile(env, filepath.Base(file.Name), file.Data, &p.Files); err != nil {
			return err
		}
	}
	if f.json {
		p.Response.Images, p.Response.Files = nil, nil
		e := json.NewEncoder(env.Stdout)
		e.SetEscapeHTML(false)
		if err := e.Encode(p); err != nil {
			return err
		}
		return exitOf(a.Exit)
	}
	if a.Note != "" {
		fmt.Fprintln(env.Stderr, "note: "+strings.ReplaceAll(a.Note, "\n", "\nnote: "))
	}
	out := env.Stdout
	if a.Exit != run.ExitPass {
		out = env.Stderr
	}
	if a.Text != "" {
		fmt.Fprintln(out, a.Text)
	}
	for _, path := range p.Screenshots {
		fmt.Fprintln(out, "image: "+path)
	}
	for _, path := range p.Files {
		fmt.Fprintln(out, "file: "+path)
	}
	return exitOf(a.Exit)
}

func exitOf(code int) error {
	if code == run.ExitPass {
		return nil
	}
	return process.Exit(code)
}

// keepFile writes a file into the working folder, under an unused name.
func keepFile(env *process.Env, name string, data []byte, names *[]string) error {
	ext := filepath.Ext(name)
	for i := 1; ; i++ {
		free := name
		if i > 1 {
			free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), i, ext)
		}
		file, err := os.OpenFile(filepath.Join(env.Dir, free), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		*names = append(*names, free)
		_, err = file.Write(data)
		return errors.Join(err, file.Close())
	}
}
