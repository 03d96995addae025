package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/drivers/ios"
	"github.com/taproot-dev/taproot/internal/toolchain"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// ErrToolsMissing ends `taproot doctor` with exit code 1, after the missing programs were printed.
var ErrToolsMissing = errors.New("required programs are missing")

func DoctorCommand(env *process.Env) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "show the external programs that tests need here",
		Long: "doctor prints one line per external program: its version and path, or how to install it. It installs " +
			"nothing;\n" +
			"taproot setup does.\n\n" +
			"It checks the programs for --platform; without it those for the tests in this folder; without any test all. It\n" +
			"exits with 0 if all required programs are installed, and with 1 otherwise.\n\n" +
			"With --live it opens the attached phone, emulator or simulator, starts the system's settings there (or --app), " +
			"taps,\n" +
			"swipes, records, reads the log, and prints a report of what works, for an issue. It changes no setting.\n\n" +
			"With --remote it opens a session at a WebDriver server, reads in it, touches nothing, ends it, and prints how\n" +
			"long each call took.",
		Example: "  taproot doctor\n  taproot doctor --platform web --json\n  taproot doctor --platform ios --live\n" +
			"  taproot doctor --remote grid",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case f.remote != "":
				return checkRemote(cmd.Context(), env, f.remote, f.asJSON)
			case f.live:
				return f.runLive(cmd.Context(), env)
			case f.app != "" || f.device != "":
				return &plan.Usage{Msg: "--app and --device select the target of --live: write --live, too"}
			}
			return f.run(cmd.Context(), env)
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().BoolVar(&f.live, "live", false,
		"check an attached device of --platform android or ios, and print a report")
	cmd.Flags().StringVar(&f.device, "device", "",
		"with --live: the `ID` of the device (default: the only one that is ready)")
	cmd.Flags().StringVar(&f.app, "app", "",
		"with --live: the package or bundle id of the `APP` to use (default: the system's settings)")
	cmd.Flags().StringVar(&f.remote, "remote", "",
		"check a WebDriver server, the `NAME` of one under remotes in taproot.yaml: open a session, read, end it")
	cmd.MarkFlagsMutuallyExclusive("remote", "live")
	cmd.MarkFlagsMutuallyExclusive("remote", "platform")
	cmd.Flags().BoolVar(&f.install, "install", false, "")
	if err := cmd.Flags().MarkDeprecated("install", "write taproot setup"); err != nil {
		panic(err) // there is no such flag: a mistake in this function
	}
	cmd.AddCommand(newFetchDriverCommand())
	return cmd
}

// newFetchDriverCommand is started by `taproot setup` in a process of its own, because playwright-go's installer cannot
// be cancelled, but a process can.
func newFetchDriverCommand() *cobra.Command {
	return &cobra.Command{
		Use:    fetchDriverName + " DIR",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE:   func(_ *cobra.Command, args []string) error { return toolchain.FetchDriver(args[0]) },
	}
}

const fetchDriverName = "fetch-driver"

// doctorFlags are the flags of doctor and setup.
type doctorFlags struct {
	platforms                             []string
	development, install, minimal, asJSON bool

	live        bool
	device, app string
	remote      string
}

func (f *doctorFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.platforms, "platform", nil,
		"check the programs for these `PLATFORMS`: web,firefox,webkit,android,ios (default: those of the tests in this "+
			"folder)")
	flags.BoolVar(&f.development, "development", false, "also for work on Taproot itself: Go, a C compiler")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
}

// wanted returns the platforms to check, and whether the user chose them.
func (f *doctorFlags) wanted(env *process.Env) ([]string, error) {
	all := []string{toolchain.Android, toolchain.IOS, toolchain.Web}
	platforms := f.platforms
	for _, p := range platforms {
		if !slices.Contains(all, p) && p != toolchain.InFirefox && p != toolchain.InWebKit {
			return nil, &plan.Usage{
				Msg: fmt.Sprintf("--platform %q: write web, firefox, webkit, android or ios, or several: web,android", p)}
		}
	}
	if len(platforms) == 0 {
		platforms = platformsHere(env)
	}
	if len(platforms) == 0 {
		platforms = all
	}
	platforms = slices.Clone(platforms)
	for _, browser := range []string{toolchain.InFirefox, toolchain.InWebKit} {
		switch named, web := slices.Contains(platforms, browser), slices.Contains(platforms, toolchain.Web); {
		case named && !web:
			platforms = append(platforms, toolchain.Web)
		case web && !named && (!f.install || env.Getenv("TAPROOT_BROWSER") == browser):
			platforms = append(platforms, browser) // its check is cheap
		}
	}
	if f.development {
		platforms = append(platforms, toolchain.Development)
	}
	return platforms, nil
}

// platformsHere returns the platforms of the tests in this folder, without the tests that cannot be read.
func platformsHere(env *process.Env) []string {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return nil
	}
	tests, _, err := conf.Tests()
	if err != nil {
		return nil
	}
	found := map[string]bool{}
	for _, t := range tests {
		for _, p := range t.Platform.Each() {
			found[string(p)] = true
		}
		for _, browser := range []string{toolchain.InFirefox, toolchain.InWebKit} {
			if slices.Contains(t.Browsers, browser) {
				found[browser] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func (f *doctorFlags) run(ctx context.Context, env *process.Env) error {
	platforms, err := f.wanted(env)
	if err != nil {
		return err
	}
	ended, err := (run.Config{Getenv: env.Getenv}).ReapServers()
	if len(ended) > 0 {
		fmt.Fprintf(env.Stderr, "ended what a killed run had left running: %s\n", strings.Join(ended, ", "))
	}
	if err != nil {
		fmt.Fprintf(env.Stderr, "taproot: %v\n", err)
	}
	if conf, err := run.FromEnv(env.Dir, env.LookupEnv); err == nil && !f.install {
		process.EndSessions(ctx, env, conf)
	}
	host := toolchain.NewHost(env.Getenv, env.Environ)
	var findings []toolchain.Finding
	if f.install {
		in := newInstaller(env, host, f.asJSON)
		in.Platforms, in.RequiredOnly = platforms, f.minimal
		findings, err = in.Install(ctx)
	} else {
		findings, err = toolchain.AskFor(ctx, host, platforms...)
	}
	if err != nil {
		return err
	}
	var checks []ios.Check
	if slices.Contains(platforms, toolchain.IOS) {
		apple := ios.New(ios.Options{Getenv: env.Getenv, Environ: env.Environ})
		defer apple.Close()
		checks = apple.Checks(ctx)
	}
	if f.asJSON {
		err = writeFindingsJSON(env.Stdout, platforms, findings, checks)
	} else {
		err = errors.Join(writeFindings(env.Stdout, platforms, findings), writeChecks(env.Stdout, checks))
	}
	if err != nil {
		return err
	}
	if len(MissingTools(findings)) > 0 {
		return ErrToolsMissing
	}
	return nil
}

func newInstaller(env *process.Env, host toolchain.Host, asJSON bool) toolchain.Installer {
	progress := env.Stdout
	if asJSON {
		progress = env.Stderr
	}
	stdin, isFile := env.Stdin.(*os.File)
	return toolchain.Installer{
		Host: host,
		Out:  progress,
		// A file descriptor always fits an int.
		Interactive: isFile && term.IsTerminal(int(stdin.Fd())),
		FetchDriver: func(ctx context.Context, dir string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			out, err := host.Run(ctx, toolchain.Command{Path: self, Args: []string{"doctor", fetchDriverName, dir}})
			if says := strings.TrimSpace(string(out)); err != nil && says != "" {
				return fmt.Errorf("%w: %s", err, says)
			}
			return err
		},
	}
}

// MissingTools returns the names of the required tools that cannot be used.
func MissingTools(findings []toolchain.Finding) []string {
	var out []string
	for _, f := range findings {
		if f.Tool.Required && !f.OK() {
			out = append(out, f.Tool.Name)
		}
	}
	return out
}

func writeFindings(w io.Writer, platforms []string, findings []toolchain.Finding) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		state, version, text := describe(f)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", state, f.Tool.Name, version, text)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	tested := strings.Join(slices.DeleteFunc(slices.Clone(platforms), func(p string) bool {
		return slices.Contains([]string{toolchain.Development, toolchain.InFirefox, toolchain.InWebKit}, p)
	}), ", ")
	summary := "all required programs are installed for tests on " + tested
	if missing := MissingTools(findings); len(missing) > 0 {
		summary = "missing for tests on " + tested + ": " + strings.Join(missing, ", ") + "; taproot setup --platform " +
			strings.ReplaceAll(tested, " ", "") + " installs it"
	}
	_, err := fmt.Fprintf(w, "\n%s\n", summary)
	return err
}

func describe(f toolchain.Finding) (state, version, text string) {
	version = f.Version
	if version == "" {
		version = "-"
	}
	switch {
	case f.NotHere && f.Tool.OnlyOn == "":
		return "-", version, "not installed, and no package of this system"
	case f.NotHere:
		return "-", version, "for " + systemName(f.Tool.OnlyOn) + " only"
	case f.OK() && f.Tool.Name == toolchain.Agent:
		return "ok", version,
			f.Path + " (while a test runs, it listens on all networks of the phone, without a password; TAPROOT_AGENT=off " +
				"disables it)"
	case f.OK():
		return "ok", version, f.Path
	}
	state = "optional"
	if f.Tool.Required {
		state = "missing"
	}
	text = f.Problem
	if f.Path != "" {
		text = f.Path + ": " + f.Problem
	}
	if !f.Tool.Required {
		text += " (" + f.Tool.Purpose + ")"
	}
	return state, version, text + "; " + f.Advice
}

func systemName(goos string) string {
	names := map[string]string{"darwin": "macOS", "linux": "Linux", "windows": "Windows"}
	if name, known := names[goos]; known {
		return name
	}
	return goos
}

// doctorTool is one line as JSON; its names are stable.
type doctorTool struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
	OK       bool   `json:"ok"`
	Applies  bool   `json:"applies"`
	Version  string `json:"version,omitempty"`
	Path     string `json:"path,omitempty"`
	Minimum  string `json:"minimum,omitempty"`
	Purpose  string `json:"purpose"`
	Problem  string `json:"problem,omitempty"`
	Advice   string `json:"advice,omitempty"`
}

// writeChecks prints the requirements of tests on iOS; other platforms have none.
func writeChecks(w io.Writer, checks []ios.Check) error {
	if len(checks) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\nfor tests on iOS:\n")
	for _, c := range checks {
		state, text := "ok", c.Text
		if !c.OK {
			state, text = "optional", strings.TrimSuffix(c.Text+"; "+c.Advice, "; ")
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", state, c.Name, text)
	}
	return table.Flush()
}

func writeFindingsJSON(w io.Writer, platforms []string, findings []toolchain.Finding, checks []ios.Check) error {
	out := struct {
		OK        bool         `json:"ok"`
		Platforms []string     `json:"platforms"`
		Tools     []doctorTool `json:"tools"`
		IOS       []ios.Check  `json:"ios,omitempty"`
	}{OK: len(MissingTools(findings)) == 0, Platforms: platforms, IOS: checks}
	for _, f := range findings {
		out.Tools = append(out.Tools, doctorTool{
			Name: f.Tool.Name, Required: f.Tool.Required, OK: f.OK(), Applies: !f.NotHere, Version: f.Version, Path: f.Path,
			Minimum: f.Tool.Minimum, Purpose: f.Tool.Purpose, Problem: f.Problem, Advice: f.Advice,
		})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func SetupCommand(env *process.Env) *cobra.Command {
	f := doctorFlags{install: true}
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "install the external programs that tests need",
		Long: "setup installs the programs that tests on the chosen platforms need, if they are missing or too old. " +
			"Chromium,\n" +
			"Firefox, WebKit, ffmpeg, tesseract, adb and fonts come from the system's package manager (with sudo where\n" +
			"needed), Node and\n" +
			"the Playwright driver from the npm registry into your cache, checked by their digests. Each command is printed\n" +
			"before it runs. Without --platform, the platforms are those of the tests in this folder. At the end it prints " +
			"the\n" +
			"installed programs, as taproot doctor does.\n\n" +
			"npm's own settings set the registry: npm_config_registry or .npmrc for a mirror.",
		Example: "  taproot setup --platform web\n  taproot setup --platform android,web --minimal",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), env) },
	}
	f.add(cmd.Flags())
	cmd.Flags().BoolVar(&f.minimal, "minimal", false,
		"leave out optional programs: recordings (ffmpeg), text recognition in images (tesseract) and browser windows")
	return cmd
}
