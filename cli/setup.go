package cli

import "github.com/spf13/cobra"

func newSetupCommand(env *Env) *cobra.Command {
	f := doctorFlags{install: true}
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "install the external programs that tests need",
		Long: "setup installs what is missing or too old of what tests on the chosen platforms need: Chromium, Firefox, " +
			"ffmpeg, tesseract, adb and\n" +
			"fonts through the system's package manager (with sudo where that is needed), Node and the Playwright driver from " +
			"the npm\n" +
			"registry into your cache, checked by their digests. Each command is printed before it runs. Without --platform, " +
			"the tests\n" +
			"in this folder say which platforms. At the end it shows what is there, as taproot doctor does.\n\n" +
			"npm's own settings say where the registry is: npm_config_registry or .npmrc for a mirror.",
		Example: "  taproot setup --platform web\n  taproot setup --platform android,web --minimal",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), env) },
	}
	f.add(cmd.Flags())
	cmd.Flags().BoolVar(&f.minimal, "minimal", false,
		"leave out what tests can do without: films (ffmpeg) and text in pictures (tesseract)")
	return cmd
}
