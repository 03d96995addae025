package inspect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/toolchain"
	"github.com/taproot-dev/taproot/runner/plan"
)

// The version of WebDriverAgent that Taproot's driver is written for.
const (
	webDriverAgentTag = "v16.7.0"
	webDriverAgentURL = "https://github.com/appium/WebDriverAgent"
)

// IOSCommand builds what tests on iPhones and simulators need.
func IOSCommand(env *process.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ios",
		Short: "build what tests on iPhones and simulators need",
		Long: "WebDriverAgent reads and touches the screens of iPhones and simulators. It is built once, on a Mac " +
			"with Xcode.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var b agentBuild
	build := &cobra.Command{
		Use:   "build-agent",
		Short: "build WebDriverAgent, on a Mac",
		Long: "build-agent downloads WebDriverAgent " + webDriverAgentTag +
			" from GitHub and builds it with Xcode: for simulators, and with --team for iPhones, too.\n" +
			"The result is in Xcode's DerivedData, where taproot run finds it.",
		Example: "  taproot ios build-agent\n  taproot ios build-agent --team ABCDE12345 --bundle-id com.example.wda",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return b.run(cmd.Context(), env) },
	}
	build.Flags().StringVar(&b.team, "team", "", "also build for iPhones, signed by the developer team of this `ID`")
	build.Flags().StringVar(&b.bundle, "bundle-id", "",
		"its `BUNDLE` id for iPhones, if your team cannot sign that of WebDriverAgent")
	cmd.AddCommand(build)
	return cmd
}

// agentBuild is one build of WebDriverAgent.
type agentBuild struct{ team, bundle string }

func (b agentBuild) run(ctx context.Context, env *process.Env) error {
	if b.bundle != "" && b.team == "" {
		return &plan.Usage{Msg: "--bundle-id is for iPhones: write --team, too"}
	}
	host := toolchain.NewHost(env.Getenv, env.Environ)
	xcrun, err := host.LookPath("xcrun")
	if err != nil {
		return errors.New(
			"WebDriverAgent is built on a Mac with Xcode, but xcrun is not installed here. A phone that already has it needs " +
				"no build: " +
				"see TAPROOT_WDA_URL",
		)
	}
	folder, err := fetchWebDriverAgent(ctx, env, host)
	if err != nil {
		return err
	}
	common := []string{"xcodebuild", "build-for-testing", "-project", filepath.Join(folder, "WebDriverAgent.xcodeproj"),
		"-scheme", "WebDriverAgentRunner"}
	builds := [][]string{{"-destination", "generic/platform=iOS Simulator"}}
	if b.team != "" {
		signed := []string{
			"-destination",
			"generic/platform=iOS",
			"-allowProvisioningUpdates",
			"DEVELOPMENT_TEAM=" + b.team,
		}
		if b.bundle != "" {
			signed = append(signed, "PRODUCT_BUNDLE_IDENTIFIER="+b.bundle)
		}
		builds = append(builds, signed)
	}
	for _, more := range builds {
		out, err := host.Run(ctx, toolchain.Command{Path: xcrun, Args: append(append([]string{}, common...), more...),
			Stream: env.Stderr})
		if err != nil {
			return fmt.Errorf("xcodebuild for %s: %w%s", more[1], err, buildAdvice(string(out)))
		}
	}
	fmt.Fprintln(env.Stdout, "WebDriverAgent "+webDriverAgentTag+
		" is built: taproot devices lists the devices for it")
	if b.bundle != "" {
		fmt.Fprintf(env.Stdout, "set TAPROOT_WDA_BUNDLE=%s.xctrunner\n", b.bundle)
	}
	return nil
}

// fetchWebDriverAgent returns the folder with its sources. An interrupted clone leaves nothing.
func fetchWebDriverAgent(ctx context.Context, env *process.Env, host toolchain.Host) (string, error) {
	if host.CacheDir == "" {
		return "", errors.New("there is no folder for the download: set HOME")
	}
	folder := filepath.Join(host.CacheDir, "WebDriverAgent-"+webDriverAgentTag)
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	git, err := host.LookPath("git")
	if err != nil {
		return "", errors.New("git is not installed, which downloads WebDriverAgent")
	}
	if err := os.MkdirAll(host.CacheDir, 0o755); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(host.CacheDir, "WebDriverAgent-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	sources := filepath.Join(part, "sources")
	if _, err := host.Run(ctx, toolchain.Command{Path: git, Args: []string{"clone", "--depth", "1", "--branch",
		webDriverAgentTag, webDriverAgentURL, sources},
		Stream: env.Stderr}); err != nil {
		return "", fmt.Errorf("git clone %s: %w", webDriverAgentURL, err)
	}
	if err := os.Rename(sources, folder); err != nil {
		return "", err
	}
	return folder, nil
}

// buildAdvice returns how to fix the most frequent errors of xcodebuild.
func buildAdvice(said string) string {
	for _, known := range []struct{ says, fix string }{
		{"requires a development team", "name yours: taproot ios build-agent --team ID (Xcode, Settings, Accounts)"},
		{"No Account for Team", "sign in with the team's account: Xcode, Settings, Accounts"},
		{"No profiles for", "choose a bundle id that your team may sign: --bundle-id com.example.wda"},
		{"cannot be registered to your development team",
			"choose a bundle id that your team may sign: --bundle-id com.example.wda"},
		{"is not installed. Please download", "install that platform: xcodebuild -downloadPlatform iOS"},
		{"license", "accept Xcode's licence: sudo xcodebuild -license accept"},
	} {
		if strings.Contains(said, known.says) {
			return "; " + known.fix
		}
	}
	return ""
}
