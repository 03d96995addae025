package cli

import "github.com/spf13/cobra"

func newSetupCommand(env *Env) *cobra.Command {
	f := doctorFlags{install: true}
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "install the external programs that tests need",
		Long: "setup installs the programs that tests on the chosen platforms need, if they are missing or too old. " +
			"Chromium,\n" +
			"Firefox, ffmpeg, tesseract, adb and fonts come from the system's package manager (with sudo where needed), Node " +
			"and\n" +
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
		"leave out optional programs: recordings (ffmpeg) and text recognition in images (tesseract)")
	return cmd
}
