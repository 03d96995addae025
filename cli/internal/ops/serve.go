package ops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/mcpserver"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/limit"
)

// serveFlags are the flags of serve; the environment sets those that are absent.
type serveFlags struct {
	addr, reports, files, logFormat, logLevel, audit string
	allowPrivate, allowShell, allowStart, private    bool // private: allowPrivate was set explicitly
	expose                                           []string
	rate, pages, runs, maxUpload                     int
	maxCall                                          time.Duration
	service, migrateOnly, openRegistration, mcp      bool
	data, bucket, afterUse                           string
	farm                                             farmFlags
}

func ServeCommand(env *process.Env) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "serve the REST API: devices, browsers, runs and reports over HTTP",
		Long: "serve runs the REST API until it is interrupted. Then it marks active runs as interrupted and releases all\n" +
			"devices. /docs on the server explains every path; /openapi.json is the same for programs.\n\n" +
			"AUTHENTICATION is off by default: everyone who can reach the server can do everything.\n" +
			"  TAPROOT_AUTH_ENABLED=true         turn it on; without any credential to accept, serve does not start\n" +
			"  TAPROOT_API_KEYS                  keys, comma separated, as they are or as sha256:<hash>; send one as\n" +
			"                                    Authorization: Bearer KEY, or X-API-Key: KEY\n" +
			"  TAPROOT_JWT_SECRET                verifies JSON web tokens (HS256, HS384, HS512)\n" +
			"  TAPROOT_JWT_PUBLIC_KEY_FILE       a PEM file that verifies them (RS, PS, ES, EdDSA)\n" +
			"  TAPROOT_JWT_ISSUER, _AUDIENCE     required values of these claims, if set; tokens always need an expiry\n" +
			"The claim scope of a token lists what it may do: " + strings.Join(
			server.Scopes(),
			" ",
		) + ", or *.\n\n" +
			"OTHER SETTINGS, in the environment or in a file .env in this folder. Flags take precedence over the " +
			"environment,\n" +
			"and the environment over .env:\n" +
			"  CORS_ORIGINS                      origins of pages that may call, in addition to this server's own\n" +
			"  TAPROOT_PUBLIC_URL, TAPROOT_CONSOLE_URL   public URLs of the server and its console; their origins may call, " +
			"too\n" +
			"  TAPROOT_ALLOWED_HOSTS             accepted host names of the server while authentication is off\n" +
			"  TAPROOT_TRUSTED_PROXIES           addresses or networks that may set X-Forwarded-For\n" +
			"  REPORT_MAX_DAYS, REPORT_MAX_RUNS  how long reports are kept\n\n" +
			"With authentication on, pages, http steps and links reach only the public internet, unless --allow-private is\n" +
			"set.",
		Example: "  taproot serve                                   for yourself: http://localhost:3210/docs\n" +
			"  taproot serve --addr 127.0.0.1:8080\n" +
			"  TAPROOT_AUTH_ENABLED=true TAPROOT_API_KEYS=$(openssl rand -hex 32) taproot serve",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.serve(cmd, env) },
	}
	f.register(cmd)
	return cmd
}

func (f *serveFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.addr, "addr", "0.0.0.0:3210", "listen on `HOST:PORT` (TAPROOT_ADDR)")
	flags.StringVar(&f.reports, "reports", "",
		"`FOLDER` for report packs (TAPROOT_REPORTS_DIR; default: tests/reports under the project's root)")
	flags.StringVar(
		&f.files,
		"files",
		"",
		"`FOLDER` below which clients may name files, to install or to upload (TAPROOT_FILES;\ndefault: the folder suites, "+
			"or this folder without it)",
	)
	flags.BoolVar(&f.allowPrivate, "allow-private", false,
		"let clients reach this machine and private networks with pages, http steps and links\n(TAPROOT_ALLOW_PRIVATE; "+
			"default: while authentication is off)")
	flags.BoolVar(&f.allowShell, "allow-shell", false, "let clients run commands on devices (TAPROOT_ALLOW_SHELL)")
	flags.BoolVar(&f.allowStart, "allow-start", false,
		"let runs of this folder's own tests start the servers under start in taproot.yaml (TAPROOT_ALLOW_START)")
	flags.StringSliceVar(&f.expose, "expose-env", nil,
		"let clients use these environment variables, `NAME,…`, as ${NAME} (TAPROOT_EXPOSE_ENV);\ntheir values are "+
			"hidden in responses")
	flags.IntVar(&f.rate, "rate-limit", 0,
		"limit of `N` requests per minute of each credential, or address (TAPROOT_RATE_LIMIT; 0: no limit)")
	flags.StringVar(&f.afterUse, "after-use", "nothing",
		"what to do at the end of a lease or case with the apps that it started or installed, `POLICY`:\n"+
			"nothing, stop, or clear (stop them and remove their data) (TAPROOT_AFTER_USE)")
	flags.IntVar(&f.pages, "pages", 8, "open at most `N` browser pages at once (TAPROOT_PAGES)")
	flags.IntVar(&f.runs, "runs", 4, "run at most `N` runs at once; others wait (TAPROOT_RUNS)")
	flags.IntVar(&f.maxUpload, "max-upload", 512, "accept uploaded packs of at most `N` MB (TAPROOT_MAX_UPLOAD)")
	process.TimeVar(flags, &f.maxCall, "max-call", 5*time.Minute,
		"limit a call on a device to this `TIME` (TAPROOT_MAX_CALL)")
	flags.StringVar(
		&f.logFormat,
		"log-format",
		"text",
		"`FORMAT` of the log on stderr: text or json (TAPROOT_LOG_FORMAT)",
	)
	flags.StringVar(&f.logLevel, "log-level", "info",
		"`LEVEL` of the log: debug (every request), info, warn, error (TAPROOT_LOG_LEVEL)")
	flags.BoolVar(&f.service, "service", false,
		"serve accounts, projects, API keys and plans from a database (TAPROOT_SERVICE; TAPROOT_DATABASE_URL turns it on, "+
			"too)")
	flags.StringVar(&f.data, "data", "taproot-data",
		"`FOLDER` for the database and the projects of --service (TAPROOT_DATA)")
	flags.StringVar(&f.bucket, "bucket", "",
		"`BUCKET` in which replicas of --service share the reports and tests of projects: s3://NAME[/FOLDER], with\n"+
			"?region=…&endpoint=https://… where needed, or a shared folder (TAPROOT_BUCKET)")
	flags.BoolVar(&f.migrateOnly, "migrate-only", false,
		"update the database of --service and end (TAPROOT_MIGRATE_ONLY)")
	flags.BoolVar(&f.openRegistration, "open-registration", false,
		"with --service: let users register without a confirmed e-mail address (TAPROOT_OPEN_REGISTRATION)")
	flags.BoolVar(&f.mcp, "mcp", false,
		"serve AI assistants at /mcp, over streamable HTTP, with the credentials of the API (TAPROOT_MCP)")
	f.farm.register(flags)
	flags.StringVar(&f.audit, "audit-log", "",
		"append every action on a device, with its caller, to this `FILE` (TAPROOT_AUDIT_LOG; default: the log)")
	process.Annotate(flags, serveVariables())
}

// serveVariables are the environment variables of the flags.
func serveVariables() map[string]string {
	return map[string]string{"addr": "TAPROOT_ADDR", "files": "TAPROOT_FILES", "allow-private": "TAPROOT_ALLOW_PRIVATE",
		"allow-shell": "TAPROOT_ALLOW_SHELL", "allow-start": "TAPROOT_ALLOW_START",
		"expose-env": "TAPROOT_EXPOSE_ENV", "rate-limit": "TAPROOT_RATE_LIMIT", "pages": "TAPROOT_PAGES",
		"runs": "TAPROOT_RUNS", "max-upload": "TAPROOT_MAX_UPLOAD",
		"max-call": "TAPROOT_MAX_CALL", "log-format": "TAPROOT_LOG_FORMAT", "log-level": "TAPROOT_LOG_LEVEL",
		"audit-log": "TAPROOT_AUDIT_LOG",
		"service":   "TAPROOT_SERVICE", "data": "TAPROOT_DATA", "bucket": "TAPROOT_BUCKET",
		"migrate-only": "TAPROOT_MIGRATE_ONLY", "open-registration": "TAPROOT_OPEN_REGISTRATION", "mcp": "TAPROOT_MCP",
		"after-use": "TAPROOT_AFTER_USE", "farm": "TAPROOT_FARM", "farm-listen": "TAPROOT_FARM_LISTEN",
		"farm-public": "TAPROOT_FARM_PUBLIC"}
}

func (f *serveFlags) serve(cmd *cobra.Command, env *process.Env) error {
	set, err := process.NewSettings(env)
	if err != nil {
		return err
	}
	for name, variable := range serveVariables() {
		value := set.Get(variable)
		if cmd.Flags().Changed(name) || value == "" {
			continue
		}
		if err := cmd.Flags().Set(name, value); err != nil {
			return &plan.Usage{Msg: fmt.Sprintf("%s=%q: %v", variable, value, errors.Unwrap(err))}
		}
	}
	if err := f.check(); err != nil {
		return err
	}
	f.private = cmd.Flags().Changed("allow-private")
	return f.run(cmd.Context(), env, set)
}

func (f *serveFlags) check() error {
	for name, n := range map[string]int{"--pages": f.pages, "--runs": f.runs, "--max-upload": f.maxUpload,
		"--rate-limit": f.rate + 1} {
		if n < 1 {
			return &plan.Usage{Msg: name + " is too small"}
		}
	}
	if f.maxCall < time.Second {
		return &plan.Usage{Msg: "--max-call is less than a second"}
	}
	if !slices.Contains([]string{"text", "json"}, f.logFormat) {
		return &plan.Usage{Msg: fmt.Sprintf("--log-format %q: use text or json", f.logFormat)}
	}
	var level slog.Level
	if level.UnmarshalText([]byte(f.logLevel)) != nil {
		return &plan.Usage{Msg: fmt.Sprintf("--log-level %q: use debug, info, warn or error", f.logLevel)}
	}
	return nil
}

// run serves until the context ends.
func (f *serveFlags) run(ctx context.Context, env *process.Env, set process.Settings) (err error) {
	log := f.logger(env.Stderr)
	o, err := f.options(env, set, log)
	if err != nil {
		return err
	}
	ended, err := o.Config.ReapServers()
	if len(ended) > 0 || err != nil {
		log.Warn("ended servers of the app that a killed process had left", "servers", ended, "error", err)
	}
	if f.audit != "" {
		file, err := os.OpenFile(process.Within(env.Dir, f.audit), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("open the audit log: %w", err)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		o.Audit = slog.New(slog.NewJSONHandler(file, nil))
	}
	if f.service || f.migrateOnly || set.Get("TAPROOT_DATABASE_URL") != "" {
		if o.Service, err = openService(ctx, env, set, f.data, f.openRegistration, log); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, o.Service.Close()) }()
		if f.migrateOnly {
			fmt.Fprintln(env.Stdout, "the database is up to date")
			return nil
		}
		if o.Bucket, err = f.openBucket(env.Dir, set); err != nil {
			return err
		}
		if o.OIDC, err = provider(set, o.Service.PublicURL()); err != nil {
			return err
		}
		o.Projects, o.Auth, o.Network = filepath.Join(process.Within(env.Dir, f.data), "projects"), nil,
			guard.Policy{AllowPrivate: f.allowPrivate}
	}
	if f.farm.on {
		var closed func() error
		if closed, err = f.farm.open(ctx, set, &o, process.Within(env.Dir, f.data)); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closed()) }()
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", f.addr, err)
	}
	s, err := server.New(o)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	f.announce(env, set, o, listener.Addr().String())
	return s.Serve(ctx, listener)
}

// openBucket opens the shared storage of replicas; nil: each replica has its own folders.
func (f *serveFlags) openBucket(dir string, set process.Settings) (blob.Bucket, error) {
	if f.bucket == "" {
		return nil, nil
	}
	address := f.bucket
	if !strings.Contains(address, "://") {
		address = process.Within(dir, address)
	}
	b, err := blob.Open(address, set.Get)
	if err != nil {
		return nil, &plan.Usage{Msg: "--bucket: " + err.Error()}
	}
	return b, nil
}

// announce prints the URL of the server, and warnings that an operator should not miss.
func (f *serveFlags) announce(env *process.Env, set process.Settings, o server.Options, addr string) {
	local := openableAddress(addr)
	fmt.Fprintf(env.Stdout, "Taproot listens on http://%s (documentation at /docs)\n", local)
	warn := func(format string, args ...any) { fmt.Fprintf(env.Stderr, "WARNING: "+format+"\n", args...) }
	if o.Service != nil {
		fmt.Fprintf(env.Stdout, "The web console is at http://%s/console/\n", local)
		if f.farm.on {
			fmt.Fprintf(env.Stdout,
				"Hosts join with taproot host --hub http://%s --token TOKEN; taproot admin host-token creates a token\n", local)
		}
		if o.Bucket == nil && o.Service.Database() != "sqlite" {
			warn(
				"reports and tests of projects are in %s of this machine: other replicas do not see them; --bucket shares them",
				o.Projects,
			)
		}
		return
	}
	if o.Auth == nil {
		warn("authentication is off: everyone who can reach %s can use every device, read every report and open any page "+
			"from "+
			"this machine; TAPROOT_AUTH_ENABLED=true turns it on", addr)
		if set.Get("TAPROOT_API_KEYS")+set.Get("TAPROOT_JWT_SECRET")+set.Get("TAPROOT_JWT_PUBLIC_KEY_FILE") != "" {
			warn("credentials are set, but not checked: TAPROOT_AUTH_ENABLED is not true")
		}
		return
	}
	for _, weak := range o.Auth.Weak() {
		warn("%s", weak)
	}
}

// openableAddress returns an address that a browser of this machine can open; [::] and 0.0.0.0 mean all addresses.
func openableAddress(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return addr
}

func (f *serveFlags) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(f.logLevel)) // checked before
	o := &slog.HandlerOptions{Level: level}
	if f.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// options converts flags and settings to the server's configuration.
func (f *serveFlags) options(env *process.Env, set process.Settings, log *slog.Logger) (o server.Options, err error) {
	conf, err := run.FromEnv(env.Dir, set.Lookup)
	if err != nil {
		return o, &plan.Usage{Msg: err.Error()}
	}
	if f.reports != "" {
		conf.Reports = process.Within(env.Dir, f.reports)
	}
	if err := conf.SetAfterUse(f.afterUse); err != nil {
		return o, &plan.Usage{Msg: "--after-use: " + err.Error()}
	}
	conf.AllowShell, conf.Log, conf.Baselines = f.allowShell, log, false
	if f.allowStart {
		if f.service || set.Get("TAPROOT_DATABASE_URL") != "" {
			return o, &plan.Usage{Msg: "--allow-start cannot be combined with --service, in which clients send the tests"}
		}
		conf.ShareServers()
	}
	o = server.Options{Config: conf, Files: f.folder(env.Dir), Pages: f.pages, Running: f.runs, MaxCall: f.maxCall,
		Version: process.ThisBuild().Version, Log: log,
		Upload: upload.Limits{Archive: int64(f.maxUpload) << 20}}
	if o.Auth, err = gate(set, env.Dir); err != nil {
		return o, err
	}
	o.Network = guard.Policy{AllowPrivate: f.allowPrivate || o.Auth == nil && !f.private}
	if f.rate > 0 {
		if o.Limiter, err = limit.PerMinute(f.rate); err != nil {
			return o, err
		}
	}
	if o.Guesses, err = limit.PerMinute(guesses); err != nil {
		return o, err
	}
	if o.Exposed, err = exposed(set, f.expose); err != nil {
		return o, err
	}
	if o.Origins, err = origins(set); err != nil {
		return o, err
	}
	o.Hosts = set.List("TAPROOT_ALLOWED_HOSTS")
	o.Proxies, err = proxies(set)
	if f.mcp {
		o.MCP = assistants(log)
	}
	return o, err
}

// assistants creates the handler for AI assistants on the devices of a server.
func assistants(log *slog.Logger) func(server.MCPConfig) (server.MCP, error) {
	return func(c server.MCPConfig) (server.MCP, error) {
		return mcpserver.NewHandler(
			mcpserver.Config{Runner: c.Run, Version: process.ThisBuild().Version, Exposed: c.Exposed,
				Log: log, MaxCall: c.MaxCall,
				Devices: &mcpserver.Shared{Pool: c.Pool, Live: c.Devices, Mask: c.Mask}},
			c.Who,
		)
	}
}

// guesses is how many wrong credentials an address may send per minute.
const guesses = 1000

// folder returns the folder of the files that clients may name.
func (f *serveFlags) folder(dir string) string {
	if f.files != "" {
		return process.Within(dir, f.files)
	}
	if info, err := os.Stat(filepath.Join(dir, "suites")); err == nil && info.IsDir() {
		return filepath.Join(dir, "suites")
	}
	return dir
}
