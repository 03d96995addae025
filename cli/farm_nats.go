package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/runner/plan"
)

// newNATSConfigCommand makes the configuration of NATS servers of one's own.
func newNATSConfigCommand(env *Env) *cobra.Command {
	var c broker.Cluster
	var out string
	cmd := &cobra.Command{Use: "nats-config",
		Short: "write the configuration of NATS servers of your own, for several hubs", Args: cobra.NoArgs,
		Long: "nats-config writes one file for all servers, each of which is started with its own name (nats-server -c " +
			"nats.conf -n NAME), and prints the seed of\n" +
			"the account by which hubs sign for hosts: TAPROOT_NATS_ACCOUNT. The file holds a password by which the servers " +
			"know each other, the seed lets its\n" +
			"owner in; both are shown this once. A farm whose account changes has hosts that must join anew.",
		Example: "  taproot farm nats-config --servers nats-1,nats-2,nats-3 --output nats.conf",
		RunE: func(*cobra.Command, []string) error {
			config, account, err := broker.NewCluster(c)
			if err != nil {
				return &plan.Usage{Msg: "--servers, --store, --tls: " + err.Error()}
			}
			file, err := os.OpenFile(within(env.Dir, out), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, fs.ErrExist) {
				return &plan.Usage{Msg: out + " is there already, and hosts may know its account: move it away first"}
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
		"the servers' names, by which they reach each other: `NAME,NAME,NAME`")
	flags.StringVar(&c.Store, "store", "/data", "the `FOLDER` on each server for what is on its way")
	flags.StringVar(&c.TLS, "tls", "",
		"the `FOLDER` on each server with tls.crt and tls.key, for hosts that come over foreign networks")
	flags.StringVarP(&out, "output", "o", "nats.conf", "the `FILE` to write")
	return cmd
}
