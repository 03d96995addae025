package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// configurationPage is the page of the documents that is made of the commands and of this file.
const configurationPage = "configuration"

// variable is a name of the environment, or several that belong together, and what it does. TestConfiguration finds
// those that the code reads and that stand neither here nor in serveVariables.
type variable struct {
	names []string
	flag  string // of taproot run that means the same
	doc   string // empty: what the flag says of itself
}

// variables are those of the environment but for taproot serve's, in the groups of the page.
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
		{"Runs", "For `taproot run`, for suites under Ginkgo, and where it fits for `serve`, `mcp`, `devices` and `find`. " +
			"A flag goes before its variable.", []variable{
			v("TAPROOT_REPORTS_DIR", "--reports", ""),
			v("TAPROOT_DEVICE", "--device", ""),
			v("TAPROOT_BROWSER", "--browser",
				"the browser in which tests of pages run that name none: `chromium` (default), `firefox`, `webkit`"),
			v("TAPROOT_PLATFORM", "--platform", ""),
			v("TAPROOT_ENV", "--env", ""),
			v("TAPROOT_SHARD", "--shard", ""),
			v("TAPROOT_REPEAT", "--repeat", ""),
			v("TAPROOT_RERUN_FAILED", "--rerun-failed", "`true`, or a run's name or folder: only what did not pass there"),
			v("TAPROOT_REQUIRE_DEVICES", "--require-devices", ""),
			v("TAPROOT_NO_VIDEO", "--no-video", ""),
			v("TAPROOT_NO_TRACE", "--no-trace", ""),
			v("TAPROOT_NO_DOM", "--no-dom", ""),
			v("TAPROOT_UNMASKED_EVIDENCE", "--unmasked-evidence", ""),
			v("TAPROOT_ALLOW_PRIVATE", "--allow-private", ""),
			v("TAPROOT_ALLOW_SHELL", "--allow-shell", ""),
			v("TAPROOT_UPDATE_BASELINES", "--update-baselines", ""),
			v("NO_COLOR", "", "when it is set, the console is not coloured"),
			v("TERM", "", "`dumb`: the console is not coloured, either"),
		}},
		{"Reports", "The first two may also stand in the file `.env` of the project's root.", []variable{
			v("REPORT_MAX_DAYS", "", "runs that are older go; default: 30"),
			v("REPORT_MAX_RUNS", "", "at most so many runs are kept; default: 100"),
			v("TAPROOT_REPORT_URL", "",
				"the address under which the reports can be seen, for links; `{run}` in it becomes the run's name"),
			v("SLACK_WEBHOOK_URL FEISHU_WEBHOOK_URL", "", "the chat that is told when tests fail"),
			v("OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "",
				"the collector of OpenTelemetry (OTLP over HTTP) that gets each run as a trace: `http://localhost:4318`, or the "+
					"address of the traces alone"),
			v("OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_TRACES_HEADERS OTEL_EXPORTER_OTLP_TIMEOUT OTEL_SERVICE_NAME "+
				"OTEL_RESOURCE_ATTRIBUTES OTEL_TRACES_EXPORTER OTEL_SDK_DISABLED TRACEPARENT", "",
				"what OpenTelemetry means by them: keys for the collector, milliseconds, the name (default: taproot), `none` and "+
					"`true` for no traces, the span that the run belongs to"),
			v("NOTIFY_URLS", "",
				"further chats, comma separated: Slack, Feishu/Lark, DingTalk, WeCom, Discord, Teams, or any address that takes "+
					"JSON"),
			v("TAPROOT_HUB TAPROOT_HOST_TOKEN", "",
				"the hub of a farm, for `taproot host`, `taproot farm`, `taproot run` and suites of Ginkgo, and the token by "+
					"which a host joins it"),
			v("TAPROOT_URL TAPROOT_API_KEY", "", "where `taproot report upload` sends packs, and the key for it"),
			v("GITHUB_ACTIONS GITHUB_WORKSPACE GITHUB_STEP_SUMMARY", "",
				"set by GitHub Actions: annotations at the lines of the tests, and the summary of the job"),
			v("GITHUB_SHA GITHUB_SERVER_URL GITHUB_REPOSITORY GITHUB_RUN_ID", "",
				"set by GitHub Actions: commit and job in the reports; the variables of GitLab, Jenkins, Buildkite, CircleCI, "+
					"Azure, Bitbucket, Travis and TeamCity for the same are known, too"),
		}},
		{"Models and OCR", "", []variable{
			v("OPENAI_API_KEY", "", "the key for the AI model; without it, steps that ask one end with an error"),
			v("OPENAI_BASE_URL", "", "another endpoint that speaks as OpenAI's does; default: `https://api.openai.com/v1`"),
			v("TAPROOT_AI_MODEL", "", "the model; default: `gpt-4.1-mini`"),
			v("TAPROOT_AI_TIMEOUT", "",
				"how long one question to the model may take, such as `2m`; default: `1m`, or the step's own `timeoutMs` where "+
					"that is longer"),
			v("TAPROOT_AI_HEADERS", "",
				"headers for the endpoint, `Name=value,Name2=value2` with `%2C` for a comma; their values are masked as the key "+
					"is"),
			v("TAPROOT_AI", "--ai", "`live`, `replay` (answers of earlier runs only) or `off`"),
			v("TAPROOT_OCR_LANGS", "", "languages of tesseract with plus signs, `eng+deu`; default: `eng`"),
		}},
		{"Programs",
			"Programs to use instead of those that are found. A name that leads nowhere is an error; nothing else is taken in " +
				"its place.", []variable{
				v("TAPROOT_CHROMIUM", "", "Chromium or Chrome"),
				v("TAPROOT_HEADLESS_SHELL", "",
					"Chromium's headless shell, which runs pages without a window in half the time of the processor. Default: the "+
						"one of Chromium's own version, if it is installed and `TAPROOT_CHROMIUM` names none"),
				v("TAPROOT_FIREFOX", "", "Firefox"),
				v("TAPROOT_NODE PLAYWRIGHT_NODEJS_PATH", "", "Node.js"),
				v("PLAYWRIGHT_DRIVER_PATH", "", "the folder of Playwright's driver"),
				v("PLAYWRIGHT_BROWSERS_PATH", "", "where Playwright keeps browsers of its own"),
				v("TAPROOT_ADB", "", "adb"),
				v("TAPROOT_FFMPEG TAPROOT_FFPROBE", "", "ffmpeg, ffprobe"),
				v("TAPROOT_TESSERACT", "", "tesseract"),
				v("NPM_CONFIG_USERCONFIG NPM_CONFIG_GLOBALCONFIG", "",
					"npm's files of settings; with those of npm's variables (`npm_config_registry`) they say where `setup` gets "+
						"Node and the driver"),
				v("NODE_EXTRA_CA_CERTS", "", "a PEM file of certificates that `setup` trusts, too"),
				v("ANDROID_HOME ANDROID_SDK_ROOT", "", "Android SDKs in which adb is looked for"),
			}},
		{"Phones", "Those of adb mean what they mean to adb.", []variable{
			v("ANDROID_SERIAL", "", "of the Android phones only this one"),
			v("ADB_SERVER_SOCKET ANDROID_ADB_SERVER_ADDRESS ANDROID_ADB_SERVER_PORT", "", "the adb server to use"),
			v("TAPROOT_AGENT", "--agent",
				"`auto`: an agent on the phone reads and touches its screen where `setup` has fetched it and the phone is "+
					"attached by USB or to this machine; `require`: else the test is an error, and phones on a network are used, "+
					"too; `off`"),
			v("TAPROOT_AGENT_APKS", "",
				"the folder of the agent's two packages, in place of those that `setup` fetched; they are not checked"),
			v("TAPROOT_WDA_URL TAPROOT_WDA_MJPEG_URL", "",
				"WebDriverAgents that run, and their films: an address, or `UDID=http://HOST:8100,UDID=…`"),
			v("TAPROOT_WDA_XCTESTRUN", "", "the built WebDriverAgent; default: the newest one in Xcode's DerivedData"),
			v("TAPROOT_WDA_BUNDLE", "", "its bundle id, where it was changed for signing"),
		}},
		{"The system's", "", []variable{
			v("HOME USERPROFILE LocalAppData PATH", "", "where programs and caches are"),
			v("XDG_CACHE_HOME", "", "where Playwright's driver and what is known of programs are kept; default: `~/.cache`"),
			v("XDG_STATE_HOME", "",
				"where reservations of devices lie (default: ~/.local/state), and where it is noted what has to be restored on a "+
					"phone after a killed run (default: the cache)"),
			v("XDG_RUNTIME_DIR", "", "where the locks of devices lie; default: the temporary folder"),
			v("DISPLAY WAYLAND_DISPLAY", "", "whether a browser window can be shown"),
		}},
	}
}

// serveSecrets are the variables of taproot serve that have no flag: what lets clients in does not belong on a command
// line.
func serveSecrets() []variable {
	return []variable{
		{[]string{"TAPROOT_AUTH_ENABLED"}, "", "`true` turns authentication on"},
		{[]string{"TAPROOT_API_KEYS"}, "", "keys that are accepted, comma separated, as they are or as `sha256:HASH`"},
		{[]string{"TAPROOT_JWT_SECRET"}, "", "verifies JSON web tokens (HS256, HS384, HS512)"},
		{[]string{"TAPROOT_JWT_PUBLIC_KEY_FILE"}, "", "a PEM file that verifies them (RS, PS, ES, EdDSA)"},
		{[]string{"TAPROOT_JWT_ISSUER", "TAPROOT_JWT_AUDIENCE"}, "", "what tokens must say"},
		{[]string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}, "",
			"the key of a bucket of S3, for `--bucket`"},
		{[]string{"AWS_REGION", "AWS_ENDPOINT_URL"}, "", "where that bucket is; default: `us-east-1`, and AWS"},
		{[]string{"TAPROOT_DATABASE_URL"}, "",
			"with `--service`: `postgres://…`, or the path of an SQLite file; default: `service.db` in the data folder"},
		{[]string{"TAPROOT_NATS_URL"}, "",
			"with `--farm`: a NATS server or cluster of your own, in place of the one in the hub"},
		{[]string{"TAPROOT_NATS_ACCOUNT"}, "", "the seed (`SA…`) of the farm's account there, which signs for hosts"},
		{[]string{"TAPROOT_SERVICE_SECRET"}, "",
			"with `--service`: 32 characters or more that seal signing keys and second factors, the same for every replica; " +
				"SQLite keeps one in `service.key` beside it"},
		{[]string{"TAPROOT_SMTP_URL"}, "",
			"with `--service`: sends letters that confirm addresses and set passwords: `smtp://USER:PASSWORD@HOST:587` " +
				"(STARTTLS), `smtps://USER:PASSWORD@HOST:465`, or `smtp://localhost?tls=none`"},
		{[]string{"TAPROOT_OIDC_ISSUER", "TAPROOT_OIDC_CLIENT_ID", "TAPROOT_OIDC_CLIENT_SECRET"}, "",
			"with `--service`: a provider of OpenID Connect that lets people into the console; register " +
				"`TAPROOT_PUBLIC_URL/console/provider/back` there"},
		{[]string{"TAPROOT_OIDC_NAME"}, "", "what people call that provider; default: its host"},
		{[]string{"TAPROOT_WEBHOOK_SECRET"}, "",
			"with `--service`: 32 characters or more that sign changes of plans at `/api/plans/webhook`"},
		{[]string{"TAPROOT_SMTP_FROM"}, "",
			"who these letters come from, such as `Taproot <noreply@example.com>`; default: the user of `TAPROOT_SMTP_URL`, " +
				"if it is an address"},
		{[]string{"CORS_ORIGINS"}, "",
			"origins whose pages may call, comma separated, beside the server's own and the desktop viewer's " +
				"(`tauri://localhost`, `http://tauri.localhost`)"},
		{[]string{"TAPROOT_PUBLIC_URL", "TAPROOT_CONSOLE_URL"}, "",
			"two more of them: where the server and its console are seen from outside"},
		{[]string{"TAPROOT_ALLOWED_HOSTS"}, "", "names by which the server may be called while authentication is off"},
		{[]string{"TAPROOT_TRUSTED_PROXIES"}, "", "addresses or networks that may say `X-Forwarded-For`"},
	}
}

// configuration writes the page: every variable, and every flag of every command.
func configuration(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(
		"# Configuration\n\nWritten by `taproot docs configuration -o docs/configuration.md`; do not edit. What holds for " +
			"all tests of a suite stands in its\n" +
			"[taproot.yaml](reference.md#taprootyaml); the rest are variables of the environment and flags.\n\n## Variables\n")
	run, told := commandNamed(root, "run"), map[*pflag.Flag]bool{}
	for _, g := range variables() {
		fmt.Fprintf(&b, "\n### %s\n\n", g.title)
		if g.text != "" {
			b.WriteString(g.text + "\n\n")
		}
		for i, v := range g.list {
			if f := run.Flags().Lookup(strings.TrimPrefix(v.flag, "--")); f != nil {
				told[f] = true
				g.list[i].doc = cmp.Or(v.doc, map[bool]string{true: "`true`: "}[f.Value.Type() == "bool" &&
					f.DefValue == "false"]+flagWords(f, v.names[0]))
			}
		}
		writeVariables(&b, g.list)
	}
	b.WriteString(
		"\n### The REST server\n\nOf `taproot serve`; they may also stand in a file `.env` of its working folder. A flag " +
			"goes " +
			"before its variable, that before `.env`.\n\n")
	list, names := serveSecrets(), serveVariables()
	commandNamed(root, "serve").LocalFlags().VisitAll(func(f *pflag.Flag) {
		if names[f.Name] != "" {
			told[f] = true
			list = append(list, variable{[]string{names[f.Name]}, "--" + f.Name, flagWords(f, names[f.Name])})
		}
	})
	writeVariables(&b, list)
	b.WriteString(
		"\n## Commands\n\n`taproot COMMAND --help` says the same, with examples. Flags that have a variable stand with it, " +
			"above.\n")
	commandFlags(&b, root, told)
	return b.String()
}

// commandNamed is a command of ours; one that is not there has no flags.
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

// commandFlags writes the flags of a command's commands, but those that were told.
func commandFlags(b *strings.Builder, parent *cobra.Command, told map[*pflag.Flag]bool) {
	for _, c := range parent.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "help" || c.Name() == "completion" ||
			slices.Contains(wordGroups(), c.GroupID) {
			continue // the reference has the words of the language
		}
		fmt.Fprintf(b, "\n### %s\n\n%s: `%s`\n", c.CommandPath(), upperFirst(c.Short),
			strings.TrimSuffix(c.UseLine(), " [flags]"))
		rows := 0
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || told[f] || c.InheritedFlags().Lookup(f.Name) != nil {
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
		commandFlags(b, c, told)
	}
}

// flagWords is what a flag does, in one line, without the name of its variable and the marks of its value.
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
