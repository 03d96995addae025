package ops

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/taproot-dev/taproot/cli/internal/process"
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
