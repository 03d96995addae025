package project

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/record"
	"github.com/taproot-dev/taproot/runner/run"
)

// recordFlags are the flags of `taproot record`.
type recordFlags struct {
	url, output, connect string
	force                bool
}

func RecordCommand(env *process.Env) *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:   "record --url ADDRESS -o FILE.yaml",
		Short: "record what you do on a page as a test",
		Long: "record opens a page in a browser window and records your actions there as the steps of a test. It prints " +
			"each\n" +
			"step, and writes the file when you close the window or press Ctrl-C. Each click is performed by the recorded\n" +
			"selector, so the selector has worked once.\n\n" +
			"A password becomes a variable, which reports mask; set it in the environment before you run the test. Files " +
			"that\n" +
			"you upload are copied to the folder of the test. Without a display the browser has no window; --connect then\n" +
			"records in a browser that runs elsewhere.",
		Example: "  taproot record --url https://shop.example.com -o suites/shop.yaml\n" +
			"  taproot record --url https://shop.example.com -o suites/shop.yaml --connect http://127.0.0.1:9222",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, err := f.file(env)
			if err != nil {
				return err
			}
			return f.record(cmd.Context(), env, file)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.url, "url", "", "open this `URL`")
	flags.StringVarP(&f.output, "output", "o", "", "write the test to this `FILE.yaml`")
	flags.StringVar(&f.connect, "connect", "",
		"record in a running Chromium that was started with --remote-debugging-port, at this `URL`: http://127.0.0.1:9222")
	flags.BoolVar(&f.force, "force", false, "overwrite an existing file")
	return cmd
}

// file checks the flags and returns the path of the test.
func (f *recordFlags) file(env *process.Env) (string, error) {
	switch {
	case f.url == "":
		return "", &plan.Usage{Msg: "--url is required: --url https://shop.example.com"}
	case f.output == "":
		return "", &plan.Usage{Msg: "-o is required: -o suites/shop.yaml"}
	case !plan.YAMLFile(f.output):
		return "", &plan.Usage{Msg: f.output + " is not a test: a test ends in .yaml"}
	}
	file := process.Within(env.Dir, f.output)
	if _, err := os.Stat(file); err == nil && !f.force {
		return "", &plan.Usage{Msg: f.output + " exists already: use another name, or overwrite it with --force"}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", &plan.Usage{Msg: err.Error()}
	}
	return file, nil
}

// record records, and saves the recorded steps however it ends.
func (f *recordFlags) record(ctx context.Context, env *process.Env, file string) error {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	conf.Log = slog.New(slog.DiscardHandler)
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("folder of %s: %w", f.output, err)
	}
	ids, err := plan.PrefersID(dir)
	if err != nil {
		return err
	}
	browsers := pool.New(run.Drivers(conf), conf.PoolOptions())
	devices, err := live.New(live.Options{Pool: browsers, What: "taproot record", Timeout: conf.Timeout,
		Access: conf.Access, Vision: conf.Vision()})
	if err != nil {
		return errors.Join(err, browsers.Close())
	}
	steps := 0
	say := func(line string) {
		steps++
		fmt.Fprintf(env.Stdout, "  - %s\n", line)
	}
	note := func(text string) { fmt.Fprintf(env.Stderr, "%s\n", text) }
	window := f.connect == "" && process.HasDisplay(env)
	fmt.Fprintf(env.Stdout, "Recording. %s\n", map[bool]string{true: "Close the window or press Ctrl-C to save.",
		false: "Press Ctrl-C to save."}[window])
	yaml, err := record.Run(ctx, record.Options{Devices: devices, ID: idOf(file), URL: f.url, Connect: f.connect,
		Headed: window, IDs: ids,
		Say: say, Note: note, Answers: lines(ctx, env), Put: func(name string, data []byte) (string, error) {
			return saveInto(dir, name, data)
		}})
	err = errors.Join(err, devices.Close(), browsers.Close())
	if steps == 0 {
		return err
	}
	if saved := filetree.WriteFile(dir, filepath.Base(file), []byte(yaml)); saved != nil {
		return errors.Join(err, fmt.Errorf("save %s: %w\n%s", f.output, saved, yaml))
	}
	fmt.Fprintf(env.Stdout, "Saved %s\n", f.output)
	return err
}

// lines returns the lines that the user types.
func lines(ctx context.Context, env *process.Env) <-chan string {
	typed := make(chan string)
	go func() {
		for in := bufio.NewScanner(env.Stdin); in.Scan(); {
			select {
			case typed <- in.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return typed
}

// noID matches characters that are not allowed in the id of a test.
var noID = lazyregexp.New(`[^A-Za-z0-9_]+`)

// idOf returns the id of a test in a file.
func idOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if id := strings.Trim(noID.ReplaceAllString(name, "-"), "-_"); id != "" {
		return id
	}
	return "recorded"
}

// saveInto keeps a file in a folder under its own name, or with a number if another file has that name.
func saveInto(dir, name string, data []byte) (string, error) {
	name = filepath.Base(filepath.FromSlash(strings.ReplaceAll(name, `\`, "/")))
	if strings.HasPrefix(name, ".") || plan.YAMLFile(name) {
		name = "file-" + strings.TrimPrefix(name, ".")
	}
	ext := filepath.Ext(name)
	for n, free := 2, name; n < 100; n, free = n+1, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext) {
		there, err := os.ReadFile(filepath.Join(dir, free))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return free, filetree.WriteFile(dir, free, data)
		case err == nil && bytes.Equal(there, data):
			return free, nil
		}
	}
	return "", fmt.Errorf("too many files are called %s", name)
}
