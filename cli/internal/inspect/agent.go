package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
)

// AgentCommand manages the agent on Android phones, which reads and touches their screens.
func AgentCommand(env *process.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "manage the agent, a helper app on Android phones that makes tests fast",
		Long: "The agent, appium-uiautomator2-server, reads the screen of a phone in tenths of a second, where uiautomator " +
			"dump\n" +
			"takes seconds. Tests install it on first use. These commands install it in advance, show its state, and remove " +
			"it.\n" +
			"While it runs, it listens on all networks of the phone without a password: see taproot docs android.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var device string
	add := func(name, short string, do func(ctx context.Context, d *android.Device) error) {
		sub := &cobra.Command{
			Use:   name,
			Short: short,
			Args:  cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return onAndroid(cmd.Context(), env, device, do)
			},
		}
		sub.Flags().
			StringVar(&device, "device", "", "the phone with this `ID` (see taproot devices); default: the only one")
		cmd.AddCommand(sub)
	}
	add("install", "install the agent on a phone", func(ctx context.Context, d *android.Device) error {
		if err := d.InstallAgent(ctx); err != nil {
			return err
		}
		return printAgentState(ctx, env, d)
	})
	add("status", "show whether the agent is installed on a phone", func(ctx context.Context, d *android.Device) error {
		return printAgentState(ctx, env, d)
	})
	add("remove", "remove the agent from a phone", func(ctx context.Context, d *android.Device) error {
		if err := d.RemoveAgent(ctx); err != nil {
			return err
		}
		return printAgentState(ctx, env, d)
	})
	return cmd
}

// printAgentState prints the state of the agent on the phone, in a line.
func printAgentState(ctx context.Context, env *process.Env, d *android.Device) error {
	s, err := d.AgentState(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "%s: %s\n", d.Info().ID, agentLine(s))
	return nil
}

func agentLine(s android.AgentState) string {
	line := "the agent is not installed"
	switch {
	case s.Server && s.Tests:
		line = "agent " + cmp.Or(s.Version, "of an unknown version") + " is installed"
		if s.Wanted != "" && s.Wanted != s.Version {
			line += ", tests would install " + s.Wanted
		}
	case s.Server || s.Tests:
		line = "the agent is installed incompletely: tests would install it again"
	case s.Wanted == "":
		line += ", nor is it on this machine: `taproot setup --platform android` downloads it"
	}
	if s.Listening {
		line += "; it runs, and listens on all networks of the phone"
	}
	return line
}

// onAndroid leases a phone and runs a function on it.
func onAndroid(ctx context.Context, env *process.Env, want string,
	do func(ctx context.Context, d *android.Device) error) (err error) {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	phones := []drivers.Driver{android.New(android.Options{Getenv: env.Getenv, Agent: string(android.AgentOff)})}
	info, err := ChoosePhone(ctx, phones, cmp.Or(want, conf.Device, conf.AndroidSerial))
	if err != nil {
		return errors.Join(err, phones[0].Close())
	}
	conf.Device = info.ID
	leases := pool.New(phones, conf.PoolOptions())
	defer func() { err = errors.Join(err, leases.Close()) }()
	wait, cancel := context.WithTimeoutCause(ctx, busyLimit, errBusy)
	defer cancel()
	lease, err := leases.Lease(wait, info.Platform, "taproot agent")
	if errors.Is(err, errBusy) {
		holder, _ := leases.Holder(info.ID)
		return fmt.Errorf("device %s is used by %s (process %d): wait until that is done", info.ID, holder.What, holder.PID)
	}
	if err != nil {
		return err
	}
	defer lease.Release()
	dev, err := lease.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	phone, ok := dev.(*android.Device)
	if !ok {
		return fmt.Errorf("device %s is not an Android phone", info.ID)
	}
	return do(ctx, phone)
}
