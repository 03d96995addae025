package ops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/runner/plan"
)

// newNATSConfigCommand writes the configuration of NATS servers.
func newNATSConfigCommand(env *process.Env) *cobra.Command {
	var c broker.Cluster
	var out string
	cmd := &cobra.Command{Use: "nats-config",
		Short: "write the configuration of NATS servers of your own, for several hubs", Args: cobra.NoArgs,
		Long: "nats-config writes one file for all servers, each of which is started with its own name (nats-server -c " +
			"nats.conf\n" +
			"-n NAME). It prints the seed of the account with which hubs sign for hosts: TAPROOT_NATS_ACCOUNT. The file " +
			"contains\n" +
			"a password with which the servers authenticate each other, and the seed gives access to them. Both are printed " +
			"only\n" +
			"once. If the account of a farm changes, its hosts must join again.",
		Example: "  taproot farm nats-config --servers nats-1,nats-2,nats-3 --output nats.conf",
		RunE: func(*cobra.Command, []string) error {
			config, account, err := broker.NewCluster(c)
			if err != nil {
				return &plan.Usage{Msg: "--servers, --store, --tls: " + err.Error()}
			}
			file, err := os.OpenFile(process.Within(env.Dir, out), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, fs.ErrExist) {
				return &plan.Usage{Msg: out + " exists already, and hosts may use its account: move it away first"}
			}
			if err != nil {
				return err
			}
			_, err = file.WriteString(config)
			if err = errors.Join(err, file.Close()); err != nil {
				return err
			}
			fmt.Fprintf(env.Stdout, "TAPROOT_NATS_ACCOUNT=%s\n", account)
			return nil
		}}
	flags := cmd.Flags()
	flags.StringSliceVar(&c.Servers, "servers", nil,
		"the servers' names, with which they connect to each other: `NAME,NAME,NAME`")
	flags.StringVar(&c.Store, "store", "/data", "the `FOLDER` on each server for undelivered messages")
	flags.StringVar(&c.TLS, "tls", "",
		"the `FOLDER` on each server with tls.crt and tls.key, for hosts on other networks")
	flags.StringVarP(&out, "output", "o", "nats.conf", "the `FILE` to write")
	return cmd
}
