package ops

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/server/mail"
	"github.com/taproot-dev/taproot/server/service"
)

// openService opens the database of the service by the settings: TAPROOT_DATABASE_URL, or the file service.db of the
// data folder.
func openService(ctx context.Context, env *process.Env, set process.Settings, data string, open bool,
	log *slog.Logger) (*service.Service, error) {
	address := set.Get("TAPROOT_DATABASE_URL")
	if address == "" {
		address = filepath.Join(process.Within(env.Dir, data), "service.db")
	}
	o := service.Options{Database: address, Secret: set.Get("TAPROOT_SERVICE_SECRET"),
		PublicURL: set.Get("TAPROOT_PUBLIC_URL"), OpenRegistration: open, WebhookSecret: set.Get("TAPROOT_WEBHOOK_SECRET"),
		Log: log}
	if smtp := set.Get("TAPROOT_SMTP_URL"); smtp != "" {
		sender, err := mail.New(mail.Options{Address: smtp, From: set.Get("TAPROOT_SMTP_FROM")})
		if err != nil {
			return nil, &plan.Usage{Msg: "TAPROOT_SMTP_URL, TAPROOT_SMTP_FROM: " + err.Error()}
		}
		o.Mail = sender
	}
	s, err := service.Open(ctx, o)
	if err != nil {
		return nil, &plan.Usage{Msg: err.Error()}
	}
	return s, nil
}

func AdminCommand(env *process.Env) *cobra.Command {
	var data string
	cmd := &cobra.Command{Use: "admin", Short: "manage the accounts of taproot serve --service",
		Long: "admin works on the database of taproot serve --service, also while it runs: the one of " +
			"TAPROOT_DATABASE_URL, or\n" +
			"service.db in the data folder.\n" +
			"ACCOUNT is the e-mail address or the id of an account, PROJECT the id of a project (taproot admin projects). A\n" +
			"password is read from the terminal, or from standard input, one line."}
	cmd.PersistentFlags().StringVar(&data, "data", "taproot-data", "`FOLDER` of the database (TAPROOT_DATA)")
	add := func(use, short string, args int, do func(ctx context.Context, s *service.Service,
		args []string) error) *cobra.Command {
		c := &cobra.Command{Use: use, Short: short, Args: cobra.ExactArgs(args),
			RunE: func(cmd *cobra.Command, args []string) error {
				set, err := process.NewSettings(env)
				if err != nil {
					return err
				}
				if from := set.Get("TAPROOT_DATA"); from != "" && !cmd.Flags().Changed("data") {
					data = from
				}
				if err := findDatabase(env, set, data, cmd.Name() == "create"); err != nil {
					return err
				}
				s, err := openService(cmd.Context(), env, set, data, false, slog.New(slog.DiscardHandler))
				if err != nil {
					return err
				}
				err = do(cmd.Context(), s, args)
				var known *service.Error
				if errors.As(err, &known) {
					err = &plan.Usage{Msg: known.Message}
				}
				return errors.Join(err, s.Close())
			}}
		cmd.AddCommand(c)
		return c
	}
	adminAccounts(env, add)
	adminProjects(env, add)
	adminKey(env, add)
	adminMetrics(env, add)
	adminFarm(env, add)
	adminShares(env, add)
	var perMinute, perMonth int
	change := add("plan ACCOUNT PLAN", "set the plan of an account: free, pro or enterprise", 2,
		func(ctx context.Context, s *service.Service, args []string) error {
			return s.Operator().SetPlan(ctx, service.PlanChange{Account: args[0], Plan: args[1], PerMinute: perMinute,
				PerMonth: perMonth})
		})
	change.Flags().IntVar(&perMinute, "per-minute", 0, "with enterprise: `N` requests per minute; 0: 6000")
	change.Flags().IntVar(&perMonth, "per-month", 0, "with enterprise: `N` requests per month; 0: no limit")
	add("backup FILE", "copy an SQLite database into a new file, while it is in use", 1,
		func(ctx context.Context, s *service.Service, args []string) error {
			if err := s.Backup(ctx, process.Within(env.Dir, args[0])); err != nil {
				return &plan.Usage{Msg: err.Error()}
			}
			return nil
		})
	cmd.AddCommand(newRestoreCommand(env, &data))
	return cmd
}

// findDatabase rejects a folder without a database: a new one there would have no effect on any server. Only the first
// account may be created before the server runs.
func findDatabase(env *process.Env, set process.Settings, data string, may bool) error {
	if set.Get("TAPROOT_DATABASE_URL") != "" {
		return nil
	}
	folder := process.Within(env.Dir, data)
	if _, err := os.Stat(filepath.Join(folder, "service.db")); !errors.Is(err, fs.ErrNotExist) {
		return nil // opening the database reports all other errors
	}
	if may {
		fmt.Fprintf(env.Stderr, "created a new database in %s; taproot serve --service must use the same folder\n", folder)
		return nil
	}
	return &plan.Usage{
		Msg: fmt.Sprintf("there is no database in %s: run this in the folder where taproot serve --service runs, or set "+
			"its data folder with --data", folder)}
}

// newRestoreCommand does not open the database, unlike the other commands.
func newRestoreCommand(env *process.Env, data *string) *cobra.Command {
	return &cobra.Command{Use: "restore FILE",
		Short: "replace an SQLite database by a copy that backup made; the old one is kept next to it",
		Args:  cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
			set, err := process.NewSettings(env)
			if err != nil {
				return err
			}
			if from := set.Get("TAPROOT_DATA"); from != "" && !cmd.Flags().Changed("data") {
				*data = from
			}
			if set.Get("TAPROOT_DATABASE_URL") != "" {
				return &plan.Usage{Msg: store.ErrOnlySQLite.Error()}
			}
			kept, err := store.Restore(
				cmd.Context(),
				process.Within(env.Dir, args[0]),
				filepath.Join(process.Within(env.Dir, *data),
					"service.db"),
			)
			if err != nil {
				return &plan.Usage{Msg: err.Error()}
			}
			if kept != "" {
				fmt.Fprintln(env.Stdout, "the old database is", kept)
			}
			// whether its secret is here, too
			s, err := openService(cmd.Context(), env, set, *data, false, slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			return s.Close()
		}}
}

// adminAccounts are the commands for accounts.
func adminAccounts(env *process.Env,
	add func(string, string, int, func(context.Context, *service.Service, []string) error) *cobra.Command) {
	password := func() (string, error) {
		if in, ok := env.Stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
			fmt.Fprint(env.Stderr, "Password: ")
			line, err := term.ReadPassword(int(in.Fd()))
			fmt.Fprintln(env.Stderr)
			return string(line), err
		}
		line, err := bufio.NewReader(env.Stdin).ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			return "", &plan.Usage{Msg: fmt.Sprintf("send the password to standard input: %v", err)}
		}
		return line, nil
	}
	var admin bool
	create := add("create ACCOUNT", "create an account that is usable at once", 1,
		func(ctx context.Context, s *service.Service, args []string) error {
			text, err := password()
			if err != nil {
				return err
			}
			a, err := s.Operator().CreateAccount(ctx, args[0], text, admin)
			if err == nil {
				fmt.Fprintln(env.Stdout, a.ID)
			}
			return err
		})
	create.Flags().BoolVar(&admin, "admin", false, "give the account the rights of the operator")
	add("password ACCOUNT", "set a new password of an account and end its sessions", 1,
		func(ctx context.Context, s *service.Service, args []string) error {
			text, err := password()
			if err != nil {
				return err
			}
			return s.Operator().SetPassword(ctx, args[0], text)
		})
	add("confirm ACCOUNT", "admit an account without a confirmed e-mail address, or a blocked one", 1,
		func(ctx context.Context, s *service.Service, args []string) error {
			return s.Operator().Confirm(ctx, args[0])
		})
	add("block ACCOUNT", "revoke all rights of an account and its keys at once", 1,
		func(ctx context.Context, s *service.Service, args []string) error {
			return s.Operator().Block(ctx, args[0])
		})
	add("accounts", "list the accounts", 0, func(ctx context.Context, s *service.Service, _ []string) error {
		for after := ""; ; {
			list, err := s.Operator().Accounts(ctx, "", after, 500)
			for _, a := range list {
				fmt.Fprintf(env.Stdout, "%s\t%s\t%s\t%s\n", a.ID, a.Email, a.State, a.Plan)
				after = a.Email
			}
			if err != nil || len(list) < 500 {
				return err
			}
		}
	})
}

// adminKey is the command that creates a key without the console: for a first trial, and for scripts that set up
// servers.
func adminKey(env *process.Env,
	add func(string, string, int, func(context.Context, *service.Service, []string) error) *cobra.Command) {
	var name, project string
	var scopes []string
	cmd := add("key ACCOUNT", "create an API key for a project of an account, and print it once", 1,
		func(ctx context.Context, s *service.Service, args []string) error {
			made, err := s.Operator().CreateKey(ctx, args[0], project, service.NewKey{Name: name, Scopes: scopes})
			var known *service.Error
			if errors.As(err, &known) {
				return &plan.Usage{Msg: strings.Replace(known.Message, "body.scopes", "--scopes", 1)}
			}
			if err == nil {
				fmt.Fprintln(env.Stdout, made.Secret)
			}
			return err
		})
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "command line", "`NAME` of the key in the console")
	flags.StringVar(&project, "project", "",
		"create the key for the project with this `ID` (default: the first project of the account)")
	flags.StringSliceVar(&scopes, "scopes", []string{service.ScopeAll}, "what the key may do, `SCOPE,…`: "+
		strings.Join(service.Scopes(), " "))
}

// adminMetrics are the commands for the keys of GET /metrics.
func adminMetrics(env *process.Env,
	add func(string, string, int, func(context.Context, *service.Service, []string) error) *cobra.Command) {
	var name string
	cmd := add("metrics-key", "create a key for Prometheus that reads only GET /metrics, and print it once",
		0, func(ctx context.Context, s *service.Service, _ []string) error {
			secret, err := s.Operator().CreateMetricsKey(ctx, name)
			if err == nil {
				fmt.Fprintln(env.Stdout, secret)
			}
			return err
		})
	cmd.Flags().StringVar(&name, "name", "Prometheus", "`NAME` of the key in the list")
	add("metrics-keys", "list the keys for GET /metrics", 0, func(ctx context.Context, s *service.Service,
		_ []string) error {
		list, err := s.Operator().MetricsKeys(ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(env.Stdout, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "KEY\tNAME\tMADE\tUSED\tREVOKED")
		for _, k := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", k.ID, k.Name, formatTime(k.Created), formatTime(k.Used),
				formatTime(k.Revoked))
		}
		return w.Flush()
	})
	add("metrics-revoke KEY", "revoke a key for GET /metrics, by its id", 1, func(ctx context.Context, s *service.Service,
		args []string) error {
		return s.Operator().RevokeMetricsKey(ctx, args[0])
	})
}

// adminProjects is the command that lists projects with their ids.
func adminProjects(env *process.Env,
	add func(string, string, int, func(context.Context, *service.Service, []string) error) *cobra.Command) {
	var account string
	var asJSON bool
	cmd := add("projects", "list the projects with their ids, which other commands take", 0,
		func(ctx context.Context, s *service.Service, _ []string) error {
			list, err := s.Operator().Projects(ctx, account)
			if err != nil {
				return err
			}
			if asJSON {
				out := []map[string]any{}
				for _, p := range list {
					out = append(out, map[string]any{"id": p.ID, "name": p.Name, "owner": p.Owner, "email": p.Email,
						"created": p.Created})
				}
				e := json.NewEncoder(env.Stdout)
				e.SetIndent("", "  ")
				return e.Encode(out)
			}
			w := tabwriter.NewWriter(env.Stdout, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "PROJECT\tOWNER\tCREATED\tNAME")
			for _, p := range list {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.ID, p.Email, formatTime(p.Created), p.Name)
			}
			return w.Flush()
		})
	cmd.Flags().StringVar(&account, "account", "", "only the projects of `ACCOUNT`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
}

// adminShares are the commands for the shares of projects in a farm.
func adminShares(env *process.Env,
	add func(string, string, int, func(context.Context, *service.Service, []string) error) *cobra.Command) {
	var weight, limit int
	var set *cobra.Command
	set = add("share PROJECT",
		"print or set a project's share of a farm: its weight compared with others, and how many of its cases run at "+
			"once", 1, func(ctx context.Context, s *service.Service, args []string) error {
			if _, err := s.Operator().Project(ctx, args[0]); errors.Is(err, service.ErrNotFound) {
				return &plan.Usage{Msg: fmt.Sprintf("there is no project %s: taproot admin projects lists them", args[0])}
			} else if err != nil {
				return err
			}
			q := queue.New(s.DB(), nil)
			list, err := q.Shares(ctx, args[0])
			if err != nil {
				return err
			}
			flags := set.Flags()
			if !flags.Changed("weight") && !flags.Changed("limit") {
				return showShares(env.Stdout, list)
			}
			now := list[0]
			if flags.Changed("weight") {
				now.Weight = weight
			}
			if flags.Changed("limit") {
				now.Limit = limit
			}
			if err := q.Share(ctx, now.Project, now.Weight, now.Limit); err != nil {
				return &plan.Usage{Msg: err.Error()}
			}
			return s.Note(ctx, service.Entry{Actor: "operator", Action: "farm.share",
				Target: fmt.Sprintf("%s weight %d limit %d",
					now.Project, now.Weight, now.Limit)})
		})
	set.Flags().IntVar(&weight, "weight", 1,
		"`N` from 1: of two waiting projects, one of weight 2 starts twice as many cases as one of weight 1")
	set.Flags().IntVar(&limit, "limit", 0, "run at most `N` of its cases at once; 0: no limit")
	add("shares", "list the projects' shares of a farm, and their current use", 0,
		func(ctx context.Context, s *service.Service,
			_ []string) error {
			list, err := queue.New(s.DB(), nil).Shares(ctx, "")
			if err != nil {
				return err
			}
			return showShares(env.Stdout, list)
		})
}

func showShares(to io.Writer, list []queue.Share) error {
	w := tabwriter.NewWriter(to, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "PROJECT\tWEIGHT\tLIMIT\tRUNNING\tWAITING")
	for _, s := range list {
		limit := "-"
		if s.Limit > 0 {
			limit = strconv.Itoa(s.Limit)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%d\n", s.Project, s.Weight, limit, s.Running, s.Waiting)
	}
	return w.Flush()
}
