package cli

import (
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/taproot-dev/taproot/runner/plan"
)

// adbLease is how long a lease for adb lasts unless it is renewed, which it is three times within that.
const adbLease = time.Minute

func newADBCommand(env *Env) *cobra.Command {
	var address, lease string
	var port int
	cmd := &cobra.Command{Use: "adb DEVICE", Short: "let adb, and what uses it, reach an Android phone of a server or a farm", Args: cobra.ExactArgs(1),
		Long: "adb holds the phone by a lease, listens on this machine, and passes what adb says on to the phone, until it is interrupted. Then adb, an editor or a\n" +
			"debugger here uses the phone as if it hung on this machine. Where the phone hangs, shells must be allowed (taproot host --allow-shell).",
		Example: "  taproot adb emulator-5554 --hub https://hub.example.com\n" +
			"  adb connect 127.0.0.1:PORT                      with the port that it prints",
		RunE: func(cmd *cobra.Command, args []string) error {
			ask, err := newHubClient(env, address)
			if err != nil {
				return err
			}
			t := &adbTunnel{ask: ask, path: "devices/" + url.PathEscape(args[0]), lease: lease}
			return t.run(cmd.Context(), env, port)
		}}
	cmd.Flags().StringVar(&address, "hub", "", "the `URL` of the server (TAPROOT_HUB)")
	cmd.Flags().StringVar(&lease, "lease", "", "use the lease with this `ID`, which somebody else renews")
	cmd.Flags().IntVar(&port, "port", 0, "listen on this `PORT` of 127.0.0.1 (default: a free one)")
	return cmd
}

// adbTunnel passes connections of adb on to a phone.
type adbTunnel struct {
	ask   hubClient
	path  string // of the device
	lease string
}

func (t *adbTunnel) run(ctx context.Context, env *Env, port int) (err error) {
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
			bye, stop := context.WithTimeout(context.WithoutCancel(ctx), hubLimit)
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

// hold takes the lease, or renews it.
func (t *adbTunnel) hold(ctx context.Context) error {
	var got struct{ Lease string }
	err := t.send(ctx, http.MethodPost, map[string]any{"ttlSeconds": int(adbLease.Seconds()), "holder": "adb"}, &got)
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

// send asks about the lease.
func (t *adbTunnel) send(ctx context.Context, method string, body, into any) error {
	var in io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		in = bytes.NewReader(text)
	}
	ctx, cancel := context.WithTimeout(ctx, hubLimit)
	defer cancel()
	r, err := t.request(ctx, method, "lease", in)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return &plan.Usage{Msg: "the server cannot be reached: " + err.Error()}
	}
	defer a.Body.Close()
	return answered(a, into)
}

func (t *adbTunnel) request(ctx context.Context, method, what string, body io.Reader) (*http.Request, error) {
	r, err := t.ask.request(ctx, method, t.path+"/"+what, body)
	if err == nil && t.lease != "" {
		r.Header.Set("X-Lease", t.lease)
	}
	return r, err
}

// pass carries one connection of adb.
func (t *adbTunnel) pass(ctx context.Context, conn net.Conn) error {
	defer conn.Close()
	r, err := t.request(ctx, http.MethodGet, "adb", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "adb")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("the server cannot be reached: %w", err)
	}
	defer a.Body.Close()
	far, ok := a.Body.(io.ReadWriteCloser)
	if a.StatusCode != http.StatusSwitchingProtocols || !ok {
		return answered(a, nil)
	}
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(far, conn); _ = far.Close() })
	both.Go(func() { _, _ = io.Copy(conn, far); _ = conn.Close() })
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	both.Wait()
	return nil
}

// answered reads an answer of the API.
func answered(a *http.Response, into any) error {
	text, err := io.ReadAll(io.LimitReader(a.Body, maxAnswer))
	if err != nil {
		return err
	}
	if a.StatusCode >= http.StatusMultipleChoices || a.StatusCode < http.StatusOK {
		said := struct{ Message string }{a.Status}
		_ = json.Unmarshal(text, &said) // else the status has to do
		return &plan.Usage{Msg: "the server says: " + said.Message}
	}
	if into == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, into)
}
