package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/runner/plan"
	farmremote "github.com/taproot-dev/taproot/runner/remote"
)

// adbLease is how long a lease for adb lasts without renewal. It is renewed three times within that time.
const adbLease = time.Minute

func ADBCommand(env *process.Env) *cobra.Command {
	var address, lease string
	var port int
	cmd := &cobra.Command{Use: "adb DEVICE",
		Short: "connect adb to an Android phone of a server or a farm", Args: cobra.ExactArgs(1),
		Long: "adb leases the phone, listens on this machine, and forwards the traffic of adb to the phone, until it is\n" +
			"interrupted. adb, an editor or a debugger here then uses the phone as if it were attached to this machine. The\n" +
			"phone's host must allow shells (taproot host --allow-shell).",
		Example: "  taproot adb emulator-5554 --hub https://hub.example.com\n" +
			"  adb connect 127.0.0.1:PORT                      with the printed port",
		RunE: func(cmd *cobra.Command, args []string) error {
			ask, err := process.HubClient(env, address)
			if err != nil {
				return err
			}
			t := &adbTunnel{ask: ask, path: "devices/" + url.PathEscape(args[0]), lease: lease}
			return t.run(cmd.Context(), env, port)
		}}
	cmd.Flags().StringVar(&address, "hub", "", "the `URL` of the server (TAPROOT_HUB)")
	cmd.Flags().StringVar(&lease, "lease", "", "use the lease with this `ID`, and let its owner renew it")
	cmd.Flags().IntVar(&port, "port", 0, "listen on this `PORT` of 127.0.0.1 (default: a free one)")
	return cmd
}

// adbTunnel forwards connections of adb to a phone.
type adbTunnel struct {
	ask   *farmremote.Client
	path  string // of the device
	lease string
}

func (t *adbTunnel) run(ctx context.Context, env *process.Env, port int) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	var working sync.WaitGroup
	if t.lease == "" {
		if err := t.hold(ctx); err != nil {
			return errors.Join(err, l.Close())
		}
		working.Go(func() { cancel(t.keep(ctx)) })
		defer func() {
			working.Wait()
			bye, stop := context.WithTimeout(context.WithoutCancel(ctx), process.HubLimit)
			defer stop()
			err = errors.Join(err, t.send(bye, http.MethodDelete, nil, nil))
		}()
	}
	fmt.Fprintf(env.Stdout, "adb connect %s\n", l.Addr())
	for {
		conn, err := l.Accept()
		if err != nil {
			cause := context.Cause(ctx)
			cancel(nil)
			working.Wait()
			if errors.Is(cause, context.Canceled) { // interrupted
				return nil
			}
			return errors.Join(cause, l.Close())
		}
		working.Go(func() {
			if err := t.pass(ctx, conn); err != nil && ctx.Err() == nil {
				fmt.Fprintln(env.Stderr, err)
			}
		})
	}
}

// hold leases the phone, or renews the lease.
func (t *adbTunnel) hold(ctx context.Context) error {
	var got struct{ Lease string }
	err := t.send(ctx, http.MethodPost, map[string]any{"ttl": adbLease.Milliseconds(), "holder": "adb"}, &got)
	if err == nil {
		t.lease = got.Lease
	}
	return err
}

func (t *adbTunnel) keep(ctx context.Context) error {
	tick := time.NewTicker(adbLease / 3)
	defer tick.Stop()
	lost := time.Now().Add(adbLease)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		renewal := *t
		if err := renewal.hold(ctx); err == nil {
			lost = time.Now().Add(adbLease)
		} else if ctx.Err() == nil && time.Now().After(lost) {
			return fmt.Errorf("the lease of the phone has ended: %w", err)
		}
	}
}

// send sends a request about the lease.
func (t *adbTunnel) send(ctx context.Context, method string, body, into any) error {
	return process.QueryHub(
		ctx,
		t.ask,
		farmremote.Request{Method: method, Path: t.path + "/lease", Header: t.header(), Body: body,
			Into: into},
	)
}

// header returns the header with the lease.
func (t *adbTunnel) header() http.Header {
	h := http.Header{}
	if t.lease != "" {
		h.Set("X-Lease", t.lease)
	}
	return h
}

// pass forwards one connection of adb.
func (t *adbTunnel) pass(ctx context.Context, conn net.Conn) error {
	defer conn.Close()
	h := t.header()
	h.Set("Connection", "Upgrade")
	h.Set("Upgrade", "adb")
	a, err := t.ask.Open(ctx, farmremote.Request{Method: http.MethodGet, Path: t.path + "/adb", Header: h})
	if err != nil {
		return process.HubError(err)
	}
	defer a.Body.Close()
	far, ok := a.Body.(io.ReadWriteCloser)
	if a.StatusCode != http.StatusSwitchingProtocols || !ok {
		return &plan.Usage{Msg: "the server does not forward adb: it responds with " + a.Status}
	}
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(far, conn); _ = far.Close() })
	both.Go(func() { _, _ = io.Copy(conn, far); _ = conn.Close() })
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	both.Wait()
	return nil
}
