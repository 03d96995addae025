package project

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/internal/session"
)

// configurationPage and commandsPage are the pages of the documentation that are generated from the commands and from
// this file.
const (
	configurationPage = "configuration"
	commandsPage      = "commands"
)

// variable is an environment variable, or several that belong together, and its effect. TestConfiguration checks that
// every variable in the code is listed here or is the setting of a flag of taproot serve.
type variable struct {
	names []string
	flag  string // the flag of taproot run that means the same
	doc   string // empty: the description of the flag
}

// variables are the environment variables except those of taproot serve, in the groups of the page.
func variables() []struct {
	title, text string
	list        []variable
} {
	type group = struct {
		title, text string
		list        []variable
	}
	v := func(names, flag, doc string) variable { return variable{strings.Fields(names), flag, doc} }
	return []group{
		{
			"Runs",
			"For `taproot run`, for suites under Ginkgo, and where it fits for `serve`, `mcp`, `devices` and `find`. " +
				"A flag overrides its variable.",
			[]variable{
				v("TAPROOT_REPORTS_DIR", "--reports", ""),
				v("TAPROOT_DEVICE", "--device", ""),
				v("TAPROOT_BROWSER", "--browser",
					"the browser of tests of pages that set none: `chromium` (default), `firefox`, `webkit`, or `all` that are "+
						"installed"),
				v("TAPROOT_PLATFORM", "--platform", ""),
				v("TAPROOT_ENV", "--env", ""),
				v("TAPROOT_SHARD", "--shard", ""),
				v("TAPROOT_SHARD_BY", "--shard-by", ""),
				v("TAPROOT_ONLY_CHANGED", "--only-changed",
					"`true`, or a reference of git: run only tests with files that changed"),
				v("TAPROOT_MAX_TIME", "--max-time", ""),
				v("TAPROOT_REPEAT", "--repeat", ""),
				v("TAPROOT_RERUN_FAILED", "--rerun-failed",
					"`true`, or a run's name or folder: run only tests that did not pass there"),
				v("TAPROOT_REQUIRE_DEVICES", "--require-devices", ""),
				v("TAPROOT_VIDEO", "--video", ""),
				v("TAPROOT_TRACE", "--trace", ""),
				v("TAPROOT_SCREENSHOTS", "--screenshots", ""),
				v("TAPROOT_NO_VIDEO", "--no-video", ""),
				v("TAPROOT_NO_TRACE", "--no-trace", ""),
				v("TAPROOT_NO_DOM", "--no-dom", ""),
				v("TAPROOT_NO_WEAK", "--no-weak", ""),
				v("TAPROOT_KEEP_FRAMES", "--keep-frames", ""),
				v("TAPROOT_UNMASKED_EVIDENCE", "--unmasked-evidence", ""),
				v("TAPROOT_ALLOW_PRIVATE", "--allow-private", ""),
				v("TAPROOT_ALLOW_SHELL", "--allow-shell", ""),
				v("TAPROOT_ALLOW_EXEC", "--allow-exec", ""),
				v("TAPROOT_UPDATE_BASELINES", "--update-baselines", ""),
				v("TAPROOT_REPORTER", "--reporter", "programs that read the events of the run, separated by commas"),
				v("TAPROOT_RUN_DIR", "", "set by Taproot for reporters: the folder of the run"),
				v("TAPROOT_START_TOKEN", "", "set by Taproot for the servers under `start`, so that it finds them again"),
				v("NO_COLOR", "", "if set, the console has no colours"),
				v("TERM", "", "`dumb`: the console has no colours"),
			},
		},
		{"Reports", "The first two can also be set in the file `.env` of the project's root.", []variable{
			v("REPORT_MAX_DAYS", "", "older runs are removed; default: 30"),
			v("REPORT_MAX_RUNS", "", "the number of runs that are kept; default: 100"),
			v("TAPROOT_REPORT_URL", "",
				"the public URL of the reports, for links; `{run}` in it becomes the run's name"),
			v("SLACK_WEBHOOK_URL FEISHU_WEBHOOK_URL", "", "the chat that receives a message when tests fail"),
			v(
				"OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
				"",
				"the OpenTelemetry collector (OTLP over HTTP) that receives each run as a trace: `http://localhost:4318`, or the "+
					"URL for traces only",
			),
			v(
				"OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_TRACES_HEADERS OTEL_EXPORTER_OTLP_TIMEOUT OTEL_SERVICE_NAME "+
					"OTEL_RESOURCE_ATTRIBUTES OTEL_TRACES_EXPORTER OTEL_SDK_DISABLED TRACEPARENT",
				"",
				"as in OpenTelemetry: headers for the collector, a timeout in milliseconds, the name (default: taproot), `none` "+
					"and "+
					"`true` for no traces, the parent span of the run",
			),
			v("NOTIFY_URLS", "",
				"further chats, comma separated: Slack, Feishu/Lark, DingTalk, WeCom, Discord, Teams, or any URL that accepts "+
					"JSON"),
			v(
				"TAPROOT_HUB TAPROOT_HOST_TOKEN",
				"",
				"the hub of a farm, for `taproot host`, `taproot farm`, `taproot run` and suites of Ginkgo, and the token with "+
					"which a host joins it",
			),
			v("TAPROOT_URL TAPROOT_API_KEY", "", "where `taproot report upload` sends packs, and the key for it"),
			v("GITHUB_TOKEN GITLAB_TOKEN", "", "with them, `taproot report comment` writes comments"),
			v("GITHUB_EVENT_PATH GITHUB_EVENT_NAME GITHUB_API_URL GITHUB_JOB", "",
				"set by GitHub Actions: the pull request of `taproot report comment`"),
			v("GITLAB_CI CI_API_V4_URL CI_PROJECT_ID CI_PROJECT_PATH CI_MERGE_REQUEST_IID CI_JOB_NAME CI_JOB_URL "+
				"CI_COMMIT_SHA", "", "set by GitLab CI: the merge request of `taproot report comment`"),
			v("GITHUB_ACTIONS GITHUB_WORKSPACE GITHUB_STEP_SUMMARY", "",
				"set by GitHub Actions: annotations at the lines of the tests, and the summary of the job"),
			v("GITHUB_SHA GITHUB_SERVER_URL GITHUB_REPOSITORY GITHUB_RUN_ID", "",
				"set by GitHub Actions: commit and job in the reports; the same variables of GitLab, Jenkins, Buildkite, "+
					"CircleCI, "+
					"Azure, Bitbucket, Travis and TeamCity are used, too"),
		}},
		{"Models and OCR", "", []variable{
			v("OPENAI_API_KEY", "", "the key for the AI model; without it, steps that need a model end with an error"),
			v("OPENAI_BASE_URL", "", "another endpoint with OpenAI's API; default: `https://api.openai.com/v1`"),
			v("TAPROOT_AI_MODEL", "", "the model; default: `gpt-4.1-mini`"),
			v(
				"TAPROOT_AI_TIMEOUT",
				"",
				"the time limit of one request to the model, such as `2m`; default: `1m`, or the step's own `timeout` if that "+
					"is "+
					"longer",
			),
			v(
				"TAPROOT_AI_HEADERS",
				"",
				"headers for the endpoint, `Name=value,Name2=value2` with `%2C` for a comma; their values are masked like the key",
			),
			v("TAPROOT_AI", "--ai", "`live`, `replay` (only recorded responses) or `off`"),
			v("TAPROOT_OCR_LANGS", "", "languages of tesseract with plus signs, `eng+deu`; default: `eng`"),
		}},
		{"Programs",
			"Programs to use instead of those that are found. A path that does not exist is an error; no other program is " +
				"used " +
				"instead.", []variable{
				v("TAPROOT_CHROMIUM", "", "Chromium or Chrome"),
				v("TAPROOT_HEADLESS_SHELL", "",
					"Chromium's headless shell, which runs pages without a window in half the CPU time. Default: the one of "+
						"Chromium's "+
						"own version, if it is installed and `TAPROOT_CHROMIUM` is not set"),
				v("TAPROOT_FIREFOX", "", "Firefox"),
				v("TAPROOT_MINIBROWSER", "", "MiniBrowser of WebKitGTK"),
				v("TAPROOT_WEBKIT_DRIVER", "", "WebKitWebDriver"),
				v("TAPROOT_XVFB", "", "Xvfb, on which WebKit draws"),
				v("TAPROOT_NODE PLAYWRIGHT_NODEJS_PATH", "", "Node.js"),
				v("PLAYWRIGHT_DRIVER_PATH", "", "the folder of Playwright's driver"),
				v("PLAYWRIGHT_BROWSERS_PATH", "", "the folder of Playwright's own browsers"),
				v("TAPROOT_ADB", "", "adb"),
				v("TAPROOT_FFMPEG TAPROOT_FFPROBE", "", "ffmpeg, ffprobe"),
				v("TAPROOT_TESSERACT", "", "tesseract"),
				v("NPM_CONFIG_USERCONFIG NPM_CONFIG_GLOBALCONFIG", "",
					"npm's configuration files; together with npm's variables (`npm_config_registry`) they set where `setup` "+
						"downloads "+
						"Node and the driver"),
				v("NODE_EXTRA_CA_CERTS", "", "a PEM file of certificates that `setup` trusts, too"),
				v("ANDROID_HOME ANDROID_SDK_ROOT", "", "Android SDKs in which adb is searched"),
			}},
		{"Phones", "The variables of adb mean the same as in adb.", []variable{
			v("ANDROID_SERIAL", "", "use only this Android phone"),
			v("ADB_SERVER_SOCKET ANDROID_ADB_SERVER_ADDRESS ANDROID_ADB_SERVER_PORT", "", "the adb server to use"),
			v(
				"TAPROOT_AGENT",
				"--agent",
				"`auto`: an agent on the phone reads and touches its screen, if `setup` has downloaded the agent and the phone is "+
					"attached by USB or to this machine; `require`: without an agent the test is an error, and phones on a network "+
					"are "+
					"used, too; `off`",
			),
			v("TAPROOT_AGENT_APKS", "",
				"the folder of the agent's two packages, instead of those that `setup` downloads; they are not checked"),
			v("TAPROOT_WDA_URL TAPROOT_WDA_MJPEG_URL", "",
				"running WebDriverAgents, and their video streams: a URL, or `UDID=http://HOST:8100,UDID=…`"),
			v("TAPROOT_WDA_XCTESTRUN", "", "the built WebDriverAgent; default: the newest one in Xcode's DerivedData"),
			v("TAPROOT_WDA_BUNDLE", "", "its bundle id, if it was changed for signing"),
		}},
		{"The system's", "", []variable{
			v("HOME USERPROFILE LocalAppData PATH", "", "the folders of programs and caches"),
			v(
				"XDG_CACHE_HOME",
				"",
				"the folder of Playwright's driver and of cached facts about programs; default: `~/.cache`",
			),
			v(
				"XDG_STATE_HOME",
				"",
				"the folder of reservations of devices and of the records of sessions at remotes (default: ~/.local/state), and "+
					"of notes about what has to be restored on a phone after a killed run (default: the cache)",
			),
			v(
				"XDG_CONFIG_HOME",
				"",
				"the folder of your own configuration file, `taproot/config.yaml`, which can allow `exec`; default: `~/.config`",
			),
			v("XDG_RUNTIME_DIR", "", "the folder of the locks of devices; default: the temporary folder"),
			v("DISPLAY WAYLAND_DISPLAY", "", "whether a browser window can be shown"),
		}},
	}
}

// serveSecrets are the variables of taproot serve without a flag. Secrets do not belong on a command line.
func serveSecrets() []variable {
	return []variable{
		{[]string{"TAPROOT_AUTH_ENABLED"}, "", "`true` turns authentication on"},
		{[]string{"TAPROOT_API_KEYS"}, "", "accepted keys, comma separated, as they are or as `sha256:HASH`"},
		{[]string{"TAPROOT_JWT_SECRET"}, "", "verifies JSON web tokens (HS256, HS384, HS512)"},
		{[]string{"TAPROOT_JWT_PUBLIC_KEY_FILE"}, "", "a PEM file that verifies them (RS, PS, ES, EdDSA)"},
		{[]string{"TAPROOT_JWT_ISSUER", "TAPROOT_JWT_AUDIENCE"}, "", "required values of these claims"},
		{[]string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}, "",
			"the credentials of an S3 bucket, for `--bucket`"},
		{
			[]string{"AWS_REGION", "AWS_ENDPOINT_URL"},
			"",
			"region and endpoint of that bucket; default: `us-east-1`, and AWS",
		},
		{[]string{"TAPROOT_DATABASE_URL"}, "",
			"with `--service`: `postgres://…`, or the path of an SQLite file; default: `service.db` in the data folder"},
		{[]string{"TAPROOT_NATS_URL"}, "",
			"with `--farm`: a NATS server or cluster of your own, instead of the one in the hub"},
		{[]string{"TAPROOT_NATS_ACCOUNT"}, "", "the seed (`SA…`) of the farm's account there, which signs for hosts"},
		{[]string{"TAPROOT_SERVICE_SECRET"}, "",
			"with `--service`: 32 characters or more that encrypt signing keys and second factors, the same for every " +
				"replica; " +
				"with SQLite the default is stored in `service.key` next to the database"},
		{[]string{"TAPROOT_SMTP_URL"}, "",
			"with `--service`: sends e-mails that confirm addresses and set passwords: `smtp://USER:PASSWORD@HOST:587` " +
				"(STARTTLS), `smtps://USER:PASSWORD@HOST:465`, or `smtp://localhost?tls=none`"},
		{[]string{"TAPROOT_OIDC_ISSUER", "TAPROOT_OIDC_CLIENT_ID", "TAPROOT_OIDC_CLIENT_SECRET"}, "",
			"with `--service`: an OpenID Connect provider for signing in to the console; its redirect URL is " +
				"`TAPROOT_PUBLIC_URL/console/provider/back`"},
		{[]string{"TAPROOT_OIDC_NAME"}, "", "the displayed name of that provider; default: its host"},
		{[]string{"TAPROOT_WEBHOOK_SECRET"}, "",
			"with `--service`: 32 characters or more that sign changes of plans at `/api/plans/webhook`"},
		{[]string{"TAPROOT_SMTP_FROM"}, "",
			"the sender of these e-mails, such as `Taproot <noreply@example.com>`; default: the user of `TAPROOT_SMTP_URL`, " +
				"if it is an address"},
		{[]string{"CORS_ORIGINS"}, "",
			"origins of pages that may call, comma separated, in addition to the server's own and the desktop viewer's " +
				"(`tauri://localhost`, `http://tauri.localhost`)"},
		{[]string{"TAPROOT_PUBLIC_URL", "TAPROOT_CONSOLE_URL"}, "",
			"the public URLs of the server and its console; their origins may call, too"},
		{[]string{"TAPROOT_ALLOWED_HOSTS"}, "", "accepted host names of the server while authentication is off"},
		{[]string{"TAPROOT_TRUSTED_PROXIES"}, "", "addresses or networks that may set `X-Forwarded-For`"},
	}
}

// configuration returns two pages: every variable, and every command with the flags that have no variable.
func configuration(root *cobra.Command) (variablesText, commandsText string) {
	var b strings.Builder
	b.WriteString("# Configuration\n\n```sh\n" +
		"taproot run --shard 1/3 --no-video                          # flags\n" +
		"TAPROOT_SHARD=1/3 TAPROOT_NO_VIDEO=true taproot run         # the same by variables\n```\n\n" +
		"Generated by `taproot docs configuration -o docs/configuration.md`; do not edit. Settings for all tests of a " +
		"suite are in its\n[taproot.yaml](reference.md#taprootyaml); all others are environment variables and flags. " +
		"Flags without a variable are listed with\ntheir [commands](commands.md).\n")
	run, written := commandNamed(root, "run"), map[*pflag.Flag]bool{}
	for _, g := range variables() {
		fmt.Fprintf(&b, "\n## %s\n\n", g.title)
		if g.text != "" {
			b.WriteString(g.text + "\n\n")
		}
		for i, v := range g.list {
			if f := run.Flags().Lookup(strings.TrimPrefix(v.flag, "--")); f != nil {
				written[f] = true
				g.list[i].doc = cmp.Or(v.doc, map[bool]string{true: "`true`: "}[f.Value.Type() == "bool" &&
					f.DefValue == "false"]+flagWords(f, v.names[0]))
			}
		}
		writeVariables(&b, g.list)
	}
	b.WriteString(
		"\n## The REST server\n\nFor `taproot serve`; they can also be set in a file `.env` of its working folder. A flag " +
			"overrides its variable, and the variable overrides `.env`.\n\n",
	)
	list := serveSecrets()
	commandNamed(root, "serve").LocalFlags().VisitAll(func(f *pflag.Flag) {
		if name := process.SettingOf(f); name != "" {
			written[f] = true
			list = append(list, variable{[]string{name}, "--" + f.Name, flagWords(f, name)})
		}
	})
	writeVariables(&b, list)
	var c strings.Builder
	c.WriteString("# Commands and flags\n\n```sh\ntaproot run --help          # explains a command, with examples\n" +
		"taproot commands            # lists all commands\n```\n\n" +
		"Generated by `taproot docs commands -o docs/commands.md`; do not edit. [The command line](cli.md) shows what you " +
		"need by task. Flags with\na variable are listed with the variable: [configuration](configuration.md).\n")
	commandFlags(&c, root, written)
	return b.String(), c.String()
}

// commandNamed returns one of our commands; an unknown one has no flags.
func commandNamed(root *cobra.Command, name string) *cobra.Command {
	for _, c := range root.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return &cobra.Command{}
}

func writeVariables(b *strings.Builder, list []variable) {
	flags := slices.ContainsFunc(list, func(v variable) bool { return v.flag != "" })
	if flags {
		b.WriteString("| variable | flag | |\n|---|---|---|\n")
	} else {
		b.WriteString("| variable | |\n|---|---|\n")
	}
	for _, v := range list {
		fmt.Fprintf(b, "| `%s` |", strings.Join(v.names, "`, `"))
		if flags && v.flag != "" {
			fmt.Fprintf(b, " `%s` |", v.flag)
		} else if flags {
			b.WriteString(" |")
		}
		fmt.Fprintf(b, " %s |\n", tableCell(v.doc))
	}
}

// commandFlags writes the flags of a command's subcommands, except those that were written already.
func commandFlags(b *strings.Builder, parent *cobra.Command, written map[*pflag.Flag]bool) {
	for _, c := range parent.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "help" || c.Name() == "completion" ||
			slices.Contains(session.ActionGroups(), c.GroupID) {
			continue // the reference contains the actions
		}
		fmt.Fprintf(b, "\n## %s\n\n%s: `%s`\n", c.CommandPath(), upperFirst(c.Short),
			strings.TrimSuffix(c.UseLine(), " [flags]"))
		rows := 0
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || written[f] || c.InheritedFlags().Lookup(f.Name) != nil {
				return
			}
			if rows++; rows == 1 {
				b.WriteString("\n| flag | default | |\n|---|---|---|\n")
			}
			name := "`--" + f.Name + "`"
			if f.Shorthand != "" {
				name = "`-" + f.Shorthand + "`, " + name
			}
			standard := ""
			if d := f.DefValue; !slices.Contains([]string{"", "false", "[]", "0", "0s"}, d) {
				standard = " `" + d + "`"
			}
			fmt.Fprintf(b, "| %s |%s | %s |\n", name, standard, tableCell(flagWords(f, "")))
		})
		commandFlags(b, c, written)
	}
}

// flagWords returns the description of a flag, in one line, without the name of its variable and the quotes of its
// value.
func flagWords(f *pflag.Flag, variable string) string {
	_, text := pflag.UnquoteUsage(f)
	text = strings.ReplaceAll(text, "\n", " ")
	if variable != "" {
		text = strings.NewReplacer(" ("+variable+")", "", variable+"; ", "").Replace(text)
	}
	return text
}

func tableCell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "|", `\|`), "<", "&lt;")
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
