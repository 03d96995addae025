package work

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/adbd"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/remote/order"
	"github.com/taproot-dev/taproot/runner/run"
)

const (
	// loanLimit is how long the connection to a device of another host may take, with its lease there.
	loanLimit = 30 * time.Second
	// leaseLimit is how long a device that this host lends may be leased by another user before it is refused.
	leaseLimit = 10 * time.Second
	// leasePause is between two attempts to lease it.
	leasePause = 100 * time.Millisecond
	// maxLoan limits the line with a Loan, in bytes.
	maxLoan = 4 << 10
)

// loans are the devices that a worker lends, and the connections that it waits for as a borrower. The worker's lock
// protects them.
type loans struct {
	lent    map[string]context.Context // by attempt and device; ends with the loan
	waiting map[string]chan net.Conn   // by Loan.Conn
}

// serveLoans accepts connections for devices that this host lends to others, or borrows, until ctx ends.
func (w *Worker) serveLoans(ctx context.Context, l *wire.Listener) {
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	work := drivers.NewLifetime()
	defer work.End()
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		if work.Go(func() { w.serveLoan(ctx, conn) }) != nil {
			_ = conn.Close()
		}
	}
}

// buffered is a connection of which some bytes were read.
type buffered struct {
	net.Conn
	r *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.r.Read(p) }

// serveLoan serves one connection.
func (w *Worker) serveLoan(ctx context.Context, raw net.Conn) {
	conn := &buffered{raw, bufio.NewReaderSize(raw, maxLoan)}
	var l wire.Loan
	err := conn.SetReadDeadline(time.Now().Add(answerLimit))
	if err == nil {
		var line []byte
		if line, err = conn.r.ReadSlice('\n'); err == nil {
			err = json.Unmarshal(line, &l)
		}
	}
	if err == nil {
		err = conn.SetReadDeadline(time.Time{})
	}
	if err == nil && l.From == w.o.Host {
		err = w.borrowed(l, conn)
		if err == nil {
			return // the borrower closes it
		}
	} else if err == nil && l.Host == w.o.Host {
		defer conn.Close()
		defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
		if l.Open {
			err = w.openLent(conn, l)
		} else {
			err = w.lend(ctx, conn, l)
		}
	}
	_ = conn.Close()
	if err != nil && ctx.Err() == nil {
		w.o.Log.Info("a device of another host", "device", l.Device, "host", l.Host, "for", l.From, "error", err)
	}
}

// borrowed passes a connection on to the part that waits for it.
func (w *Worker) borrowed(l wire.Loan, conn net.Conn) error {
	w.mu.Lock()
	wanted := w.loans.waiting[l.Conn]
	delete(w.loans.waiting, l.Conn)
	w.mu.Unlock()
	if wanted == nil {
		return errors.New("it is no longer wanted")
	}
	wanted <- conn // of capacity one
	return nil
}

// answerLoan responds to the hub.
func answerLoan(conn net.Conn, why error) error {
	var reply wire.LoanReply
	if why != nil {
		reply.Error = why.Error()
	}
	line, err := json.Marshal(reply)
	if err == nil {
		_, err = conn.Write(append(line, '\n'))
	}
	return errors.Join(why, err)
}

// lend leases a phone for another host, for as long as the connection lives.
func (w *Worker) lend(ctx context.Context, conn net.Conn, l wire.Loan) error {
	if w.draining.Load() {
		return answerLoan(conn, errors.New("it is shutting down"))
	}
	release, err := w.leaseOut(ctx, l)
	if err != nil {
		return answerLoan(conn, fmt.Errorf("device %s: %w", l.Device, err))
	}
	defer release()
	life, end := context.WithCancel(ctx)
	key := l.String()
	w.mu.Lock()
	_, twice := w.loans.lent[key]
	if !twice {
		w.loans.lent[key] = life
		w.held[l.Device]++
	}
	w.mu.Unlock()
	defer end()
	if twice {
		return answerLoan(conn, fmt.Errorf("device %s is lent for this attempt already", l.Device))
	}
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.loans.lent, key)
		if w.held[l.Device]--; w.held[l.Device] == 0 {
			delete(w.held, l.Device)
		}
	}()
	if err := answerLoan(conn, nil); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, conn) // until the other host closes it, or is gone
	return nil
}

// leaseOut leases a phone for another host. Another user may have it for a moment.
func (w *Worker) leaseOut(ctx context.Context, l wire.Loan) (release func(), err error) {
	for began := time.Now(); ; {
		lease, err := w.o.Pool.Take(ctx, l.Device, "a test on the host "+l.From)
		var busy *pool.BusyError
		if err == nil && lease.Info.Platform != dsl.Android {
			lease.Release()
			return nil, errors.New("only phones with Android are lent")
		}
		if err == nil && lease.Info.Remote != "" {
			lease.Release()
			return nil, fmt.Errorf("it is a phone at the remote %s, which is not lent", lease.Info.Remote)
		}
		if err == nil {
			return lease.Release, nil
		}
		if !errors.As(err, &busy) || time.Since(began) > leaseLimit {
			return nil, err
		}
		if err := pool.Sleep(ctx, leasePause, nil); err != nil {
			return nil, err
		}
	}
}

// openLent connects the other host to a phone that it has leased here.
func (w *Worker) openLent(conn net.Conn, l wire.Loan) error {
	w.mu.Lock()
	life := w.loans.lent[l.String()]
	w.mu.Unlock()
	services, can := w.o.Pool.Driver(dsl.Android).(drivers.Services)
	if life == nil || !can {
		return answerLoan(conn, fmt.Errorf("device %s is not lent to this host", l.Device))
	}
	if err := answerLoan(conn, nil); err != nil {
		return err
	}
	defer context.AfterFunc(life, func() { _ = conn.Close() })()
	features, err := services.Features(life, l.Device)
	if err == nil {
		err = adbd.ServeClient(conn, adbd.Device{Features: features, Open: func(name string) (io.ReadWriteCloser, error) {
			return services.OpenService(life, l.Device, name)
		}})
	}
	if err != nil && life.Err() == nil {
		w.o.Log.Debug("a device that is lent", "device", l.Device, "error", err)
	}
	return nil
}

// reach connects to another host for a device of it.
func (w *Worker) reach(ctx context.Context, l wire.Loan) (net.Conn, error) {
	l.Conn = rand.Text()
	got := make(chan net.Conn, 1)
	w.mu.Lock()
	w.loans.waiting[l.Conn] = got
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, loanLimit)
	defer cancel()
	err := wire.Ask(ctx, w.o.Conn, wire.ToHub(w.o.Host, wire.LoanSubject), l, nil)
	if err == nil {
		select {
		case conn := <-got:
			return conn, nil
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	w.mu.Lock()
	delete(w.loans.waiting, l.Conn)
	w.mu.Unlock()
	select { // it came at the last moment
	case conn := <-got:
		_ = conn.Close()
	default:
	}
	return nil, err
}

// seats returns the devices of a job, in the order of its case. Those of other hosts are leased there, until release is
// called, in the order of their hosts and ids.
func (w *Worker) seats(ctx context.Context, j order.Job, conf run.Config) (ids []string, lent map[string]drivers.Driver,
	release func(), err error) {
	if len(j.Devices) == 0 {
		return []string{j.Device}, nil, func() {}, nil
	}
	var undo []func()
	release = func() {
		for _, f := range slices.Backward(undo) {
			f()
		}
	}
	ids, lent = make([]string, len(j.Devices)), map[string]drivers.Driver{}
	byPlace := make([]int, len(j.Devices))
	for i := range byPlace {
		byPlace[i] = i
	}
	slices.SortFunc(byPlace, func(a, b int) int {
		x, y := j.Devices[a], j.Devices[b]
		return cmp.Or(cmp.Compare(x.Host, y.Host), cmp.Compare(x.Device, y.Device))
	})
	for _, i := range byPlace {
		p := j.Devices[i]
		if ids[i] = p.Device; p.Host == w.o.Host {
			continue
		}
		loan := wire.Loan{Run: j.Run, N: j.N, Attempt: j.Attempt.Attempt, Host: p.Host, Device: p.Device}
		held, err := w.reach(ctx, loan)
		if err != nil {
			release()
			return nil, nil, nil, fmt.Errorf("%s: %w", p, err)
		}
		loan.Open = true
		driver := android.New(android.Options{Getenv: conf.Getenv, Agent: conf.Agent, Logger: w.o.Log,
			Dial: func(ctx context.Context) (net.Conn, error) {
				conn, err := w.reach(ctx, loan)
				if err != nil { // the device counts as lost
					return nil, &net.OpError{Op: "reach", Net: "host", Err: err}
				}
				return conn, nil
			}})
		ids[i] = p.Device + "@" + p.Host
		lent[ids[i]] = driver
		undo = append(undo, func() { _ = errors.Join(driver.Close(), held.Close()) })
	}
	return ids, lent, release, nil
}
