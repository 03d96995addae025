package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/taproot-dev/taproot/drivers/ios"
	"github.com/taproot-dev/taproot/drivers/toolchain"
)

// errToolsMissing ends `taproot doctor` with exit code 1; what is missing was printed already.
var errToolsMissing = errors.New("required programs are missing")

func newDoctorCommand(env *Env) *cobra.Command {
	var install, asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "show the external programs that Taproot needs, and install the missing ones",
		Long: "doctor prints one line per external program: the version and place of what was found, or what to install; and what\n" +
			"tests on iOS need, which nothing else does.\n" +
			"It ends with 0 when everything required is there, and with 1 otherwise.\n" +
			"With --install it first installs what is missing or too old, through the system's package manager (with sudo\n" +
			"where that is needed) and npm, and prints each command before it runs.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDoctor(cmd.Context(), env, install, asJSON)
		},
	}
	cmd.Flags().BoolVar(&install, "install", false, "install what is missing or too old")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(newFetchDriverCommand())
	return cmd
}

// newFetchDriverCommand is what `doctor --install` starts as a process of its own: playwright-go's installer cannot be
// cancelled, a process can.
func newFetchDriverCommand() *cobra.Command {
	return &cobra.Command{
		Use:    fetchDriverName + " DIR",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE:   func(_ *cobra.Command, args []string) error { return toolchain.FetchDriver(args[0]) },
	}
}

const fetchDriverName = "fetch-driver"

func runDoctor(ctx context.Context, env *Env, install, asJSON bool) error {
	host := toolchain.NewHost(env.Getenv, env.Environ)
	var findings []toolchain.Finding
	var err error
	if install {
		findings, err = newInstaller(env, host, asJSON).Install(ctx)
	} else {
		findings, err = toolchain.FindAll(ctx, host)
	}
	if err != nil {
		return fmt.Errorf("doctor: %w", err)
	}
	apple := ios.New(ios.Options{Getenv: env.Getenv, Environ: env.Environ})
	defer apple.Close()
	checks := apple.Checks(ctx)
	if asJSON {
		err = writeFindingsJSON(env.Stdout, findings, checks)
	} else {
		err = errors.Join(writeFindings(env.Stdout, findings), writeChecks(env.Stdout, checks))
	}
	if err != nil {
		return fmt.Errorf("doctor: %w", err)
	}
	if len(missingTools(findings)) > 0 {
		return errToolsMissing
	}
	return nil
}

func newInstaller(env *Env, host toolchain.Host, asJSON bool) toolchain.Installer {
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

// missingTools names the required tools that cannot be used.
func missingTools(findings []toolchain.Finding) []string {
	var out []string
	for _, f := range findings {
		if f.Tool.Required && !f.OK() {
			out = append(out, f.Tool.Name)
		}
	}
	return out
}

func writeFindings(w io.Writer, findings []toolchain.Finding) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		state, version, text := describe(f)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", state, f.Tool.Name, version, text)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	summary := "everything required is there"
	if missing := missingTools(findings); len(missing) > 0 {
		summary = "missing: " + strings.Join(missing, ", ")
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
	case f.NotHere:
		return "-", version, "for " + systemName(f.Tool.OnlyOn) + " only"
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

// doctorTool is the machine form of one line; its names are stable.
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

// writeChecks shows what tests on iOS need; nothing else does.
func writeChecks(w io.Writer, checks []ios.Check) error {
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

func writeFindingsJSON(w io.Writer, findings []toolchain.Finding, checks []ios.Check) error {
	out := struct {
		OK    bool         `json:"ok"`
		Tools []doctorTool `json:"tools"`
		IOS   []ios.Check  `json:"ios"`
	}{OK: len(missingTools(findings)) == 0, IOS: checks}
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
