package ops

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/mcpserver"
	"github.com/taproot-dev/taproot/runner/plan"
	farmremote "github.com/taproot-dev/taproot/runner/remote"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server"
)

// mcpFlags are the flags of mcp.
type mcpFlags struct {
	device, dir, printConfig string
	hub                      string
	expose, schemes          []string
	verbose                  bool
}

func MCPCommand(env *process.Env) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "let an AI assistant drive devices (Model Context Protocol over stdio)",
		Long: "mcp is a server of the Model Context Protocol over stdin and stdout. An AI assistant starts it, uses 37 " +
			"tools\n" +
			"for phones and browser pages, and ends it by closing stdin. It reads and writes files below the folder in which\n" +
			"it was started, and opens no port. A client of it can do anything on the connected devices.\n\n" +
			"--print-config CLIENT prints the entry for the configuration of " + mcpserver.ClientNames() + ".",
		Example: "  taproot mcp --print-config cursor\n" +
			"  taproot mcp --expose-env APP_PASSWORD    the assistant can type ${APP_PASSWORD} without seeing its value",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.printConfig != "" {
				return printConfig(env, f)
			}
			if f.hub != "" {
				return bridgeMCP(cmd.Context(), env, f)
			}
			return serveMCP(cmd.Context(), env, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.printConfig, "print-config", "", "print the configuration for this `CLIENT` and end")
	flags.StringVar(&f.dir, "dir", "",
		"the `FOLDER` of the project, below which files are read and written (default: the current folder)")
	flags.StringVar(&f.device, "device", "", "use only the device with this `ID`")
	flags.StringVar(&f.hub, "hub", "",
		"drive a device of the server at this `URL` (taproot serve --mcp), or of a farm's hosts, with the key in "+
			"TAPROOT_API_KEY")
	flags.StringSliceVar(&f.expose, "expose-env", nil,
		"let texts contain these environment variables, `NAME,…`, as ${NAME}; their values are hidden in responses")
	flags.StringSliceVar(&f.schemes, "allow-scheme", nil,
		"allow links with these schemes, `SCHEME,…`, in addition to http and https")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "log to stderr")
	return cmd
}

// printConfig prints the entry of this program for the configuration of an assistant.
func printConfig(env *process.Env, f mcpFlags) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if strings.Contains(program, "go-build") { // go run: the file will be deleted
		program = "taproot"
	}
	text, where, err := mcpserver.ClientConfig(f.printConfig, program, f.args())
	if err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	fmt.Fprintln(env.Stderr, where)
	_, err = fmt.Fprint(env.Stdout, text)
	return err
}

// args are the arguments with which an assistant starts the server.
func (f mcpFlags) args() []string {
	args := []string{"mcp"}
	if f.dir != "" {
		args = append(args, "--dir", f.dir)
	}
	if f.device != "" {
		args = append(args, "--device", f.device)
	}
	if f.hub != "" {
		args = append(args, "--hub", f.hub)
	}
	if len(f.expose) > 0 {
		args = append(args, "--expose-env", strings.Join(f.expose, ","))
	}
	if len(f.schemes) > 0 {
		args = append(args, "--allow-scheme", strings.Join(f.schemes, ","))
	}
	return args
}

// bridgeMCP connects an assistant over stdio with a device of a server: the one of --device, or the first free one.
func bridgeMCP(ctx context.Context, env *process.Env, f mcpFlags) error {
	if f.dir != "" || len(f.expose)+len(f.schemes) > 0 {
		return &plan.Usage{
			Msg: "--dir, --expose-env and --allow-scheme apply to devices of this machine; with --hub, set them on the server"}
	}
	ask, err := process.HubClient(env, f.hub)
	if err != nil {
		return err
	}
	device := f.device
	if device == "" {
		var list []server.Device
		if err := process.QueryHub(ctx, ask, farmremote.Request{Method: http.MethodGet, Path: "devices",
			Into: &list}); err != nil {
			return err
		}
		at := slices.IndexFunc(list, func(d server.Device) bool {
			return d.State == drivers.Ready && d.Lease == nil && d.LeasedSince == nil && (d.Use == "" || d.Use == hub.Free)
		})
		if at < 0 {
			return &plan.Usage{Msg: fmt.Sprintf("none of the %d devices of %s is free; name one with --device", len(list),
				f.hub)}
		}
		device = list[at].ID
	}
	return mcpserver.Bridge(ctx, ask.Address("devices/"+url.PathEscape(device)+"/mcp"), ask.Key(), env.Stdin, env.Stdout)
}

func serveMCP(ctx context.Context, env *process.Env, f mcpFlags) error {
	dir, err := f.folder(env)
	if err != nil {
		return err
	}
	conf, err := run.FromEnv(dir, env.LookupEnv)
	if err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	if f.device != "" {
		conf.Device = f.device
	}
	exposed, err := f.exposed(env)
	if err != nil {
		return err
	}
	// Stdout carries the protocol, so all other output goes to stderr.
	if env.Stdout == os.Stdout {
		protocol := os.Stdout
		os.Stdout = os.Stderr
		defer func() { os.Stdout = protocol }()
	}
	level := slog.LevelWarn
	if f.verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(env.Stderr, &slog.HandlerOptions{Level: level}))
	return mcpserver.Serve(ctx, mcpserver.Config{Runner: conf, Version: process.ThisBuild().Version, Exposed: exposed,
		Schemes: f.allowed(), Log: log}, env.Stdin, env.Stdout)
}

// folder returns the project's folder.
func (f mcpFlags) folder(env *process.Env) (string, error) {
	dir := env.Dir
	if f.dir != "" {
		if dir = f.dir; !filepath.IsAbs(dir) {
			dir = filepath.Join(env.Dir, dir)
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", &plan.Usage{Msg: fmt.Sprintf("--dir %s: there is no such folder", dir)}
	}
	if dir = filepath.Clean(dir); filepath.Dir(dir) == dir {
		return "", &plan.Usage{
			Msg: "the assistant could read the whole file system: set the project's folder with --dir"}
	}
	return dir, nil
}

// allowed returns the schemes without what users write around them.
func (f mcpFlags) allowed() []string {
	var list []string
	for _, s := range f.schemes {
		list = append(list, strings.ToLower(strings.TrimRight(strings.TrimSpace(s), ":/")))
	}
	return slices.Compact(list)
}

// exposed reads the variables that texts may contain. One that is not set is an error now instead of a failure later.
func (f mcpFlags) exposed(env *process.Env) (map[string]string, error) {
	values := map[string]string{}
	for _, name := range f.expose {
		value, set := env.LookupEnv(name)
		if !set || value == "" {
			return nil, &plan.Usage{
				Msg: fmt.Sprintf("--expose-env %s: the environment has no such variable, or it is empty", name)}
		}
		values[name] = value
	}
	return values, nil
}
