package dispatch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/runner/remote/order"
)

// start responds to a host that is about to start an attempt: whether it may, and with which settings.
func (d *Dispatcher) start(ctx context.Context, host string, body []byte) (any, error) {
	var a order.Attempt
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, err
	}
	r, since, err := d.o.Queue.Current(ctx, a.Run, a.N, a.Attempt, host)
	if errors.Is(err, queue.ErrNoRun) {
		d.suspect(ctx, host, "farm.start", a)
		return order.Start{}, nil
	}
	if err != nil {
		return nil, err
	}
	d.metrics.started(d.o.Hub.Pool(host), time.Since(since))
	s := order.Start{Go: true, Archive: r.Archive}
	text, err := d.o.Seal.Unseal(r.Sealed, r.ID)
	if err == nil {
		err = json.Unmarshal(text, &s.Settings)
	}
	return s, err
}

// suspect reports to the audit log a host that presents an attempt of another host as its own. A host that is late,
// with an attempt that was superseded, is not reported.
func (d *Dispatcher) suspect(ctx context.Context, host, action string, a order.Attempt) bool {
	foreign, err := d.o.Queue.Foreign(ctx, a.Run, a.N, a.Attempt, host)
	if err != nil || !foreign {
		return false
	}
	d.o.Refused("host "+host, action, fmt.Sprintf("attempt %d of case %d of %s", a.Attempt, a.N, a.Run))
	return true
}

// accepting is a result that is to be written to the database.
type accepting struct {
	result queue.Result
	done   chan bool // closed without a value if the database did not respond
}

// acceptedAtOnce limits the results of one transaction.
const acceptedAtOnce = 256

// acceptAlways writes results to the database. Those that arrive at the same time share a transaction.
func (d *Dispatcher) acceptAlways(ctx context.Context) {
	for {
		var some []accepting
		select {
		case <-ctx.Done():
			return
		case one := <-d.accept:
			some = append(some, one)
		}
	more:
		for len(some) < acceptedAtOnce {
			select {
			case one := <-d.accept:
				some = append(some, one)
			default:
				break more
			}
		}
		d.acceptSome(ctx, some)
	}
}

func (d *Dispatcher) acceptSome(ctx context.Context, some []accepting) {
	results := make([]queue.Result, len(some))
	for i, s := range some {
		results[i] = s.result
	}
	accepted, err := d.o.Queue.Accept(ctx, results)
	if err != nil {
		d.o.Log.Warn("results", "error", err)
	}
	var ended []order.Result
	for i, s := range some {
		if err == nil {
			if accepted[i] {
				d.metrics.accepted(d.o.Hub.Pool(s.result.Host), s.result)
				ended = append(ended, order.Result{Run: s.result.Run, Ended: &order.Ended{N: s.result.N, Attempt: s.result.Attempt,
					Error: s.result.Error}})
			}
			s.done <- accepted[i]
		}
		close(s.done)
	}
	d.wakePick()
	d.publishEnded(ended)
}

// publishEnded sends results to the clients of this hub, and to the other hubs for theirs.
func (d *Dispatcher) publishEnded(list []order.Result) {
	if len(list) == 0 {
		return
	}
	d.follow.results(list)
	_ = wire.Publish(d.o.Conn, order.EndedSubject, list) // if it gets lost, the others query every second
}

// report handles the result of an attempt from a host. The pack is stored before the result is accepted.
func (d *Dispatcher) report(ctx context.Context, host string, body []byte) (any, error) {
	var r order.Report
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	result := queue.Result{Run: r.Run, N: r.N, Attempt: r.Attempt.Attempt, Host: host, Error: r.Error}
	if r.Returned {
		ok, err := d.o.Queue.Return(ctx, result, r.Draining)
		if err == nil && !ok {
			d.suspect(ctx, host, "farm.result", r.Attempt)
		}
		d.wakePick()
		d.publishEnded([]order.Result{{Run: r.Run}})
		return order.ReportReply{Accepted: ok}, err
	}
	has, err := d.o.Queue.Has(ctx, r.Run, r.N, r.Attempt.Attempt, host)
	if err != nil {
		return nil, err
	}
	if !has { // superseded, or the response to it was lost: either way the host is done with it
		if d.suspect(ctx, host, "farm.result", r.Attempt) {
			return order.ReportReply{}, nil
		}
		ok, err := d.o.Queue.Accepted(ctx, r.Run, r.N, r.Attempt.Attempt)
		return order.ReportReply{Accepted: ok}, err
	}
	if r.Error == "" {
		result.Blob = packName(r.Attempt)
		if err := d.keep(ctx, host, r, result.Blob); err != nil {
			return nil, err
		}
	}
	one := accepting{result, make(chan bool, 1)}
	select {
	case d.accept <- one:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case ok, responded := <-one.done:
		if !responded {
			return nil, errors.New("the database does not respond")
		}
		if ok {
			return order.ReportReply{Accepted: true}, nil
		}
		// The same report may have been handled before, by any hub: then the accepted result has this pack.
		before, err := d.o.Queue.Accepted(ctx, r.Run, r.N, r.Attempt.Attempt)
		if err == nil && !before && result.Blob != "" {
			_ = d.o.Bucket.Delete(ctx, result.Blob) // if it fails, it is removed with the run
		}
		return order.ReportReply{Accepted: before}, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// runsFolder is the folder of packs in the bucket.
const runsFolder = "farm/"

func runFolder(run string) string { return runsFolder + run + "/" }

func packName(a order.Attempt) string {
	return fmt.Sprintf("%s%d-%d.tar.gz", runFolder(a.Run), a.N, a.Attempt)
}

// keep stores a pack in the bucket.
func (d *Dispatcher) keep(ctx context.Context, host string, r order.Report, name string) (err error) {
	f, err := os.CreateTemp(d.o.Dir, ".pack-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	h := sha256.New()
	to := io.MultiWriter(f, h)
	if _, err := to.Write(r.Pack); err != nil {
		return err
	}
	for at := int64(len(r.Pack)); at < r.Size; {
		b, err := d.askPart(ctx, host, order.Part{Attempt: r.Attempt, From: at})
		if err == nil && len(b) == 0 {
			err = errors.New("the pack is shorter than announced")
		}
		if err != nil {
			return err
		}
		if _, err := to.Write(b); err != nil {
			return err
		}
		at += int64(len(b))
	}
	if hex.EncodeToString(h.Sum(nil)) != r.SHA256 {
		return errors.New("the pack arrived damaged")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return d.o.Bucket.Put(ctx, name, f)
}

func (d *Dispatcher) askPart(ctx context.Context, host string, p order.Part) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var b order.Bytes
	err := wire.Ask(ctx, d.o.Conn, wire.ToHost(host, order.PackSubject), p, &b)
	return b.Bytes, err
}

// part returns a part of an archive to a host that currently runs a case with it.
func (d *Dispatcher) part(ctx context.Context, host string, body []byte) (any, error) {
	var p order.Part
	if err := json.Unmarshal(body, &p); err != nil {
		return nil, err
	}
	project, err := d.o.Queue.MayRead(ctx, host, p.Archive)
	if err != nil {
		return nil, err
	}
	if project == "" {
		d.o.Log.Warn("a host requested tests that were not assigned to it", "host", host, "archive", p.Archive)
		d.o.Refused("host "+host, "farm.tests", p.Archive)
		return nil, errors.New("the host has no case with these tests")
	}
	return d.files.part(ctx, project, p.Archive, p.From)
}

// events forwards the events of a case to the clients that follow its run on this hub, if the host has the case.
func (d *Dispatcher) events(ctx context.Context, host string, body []byte) (any, error) {
	var e order.Events
	if err := json.Unmarshal(body, &e); err != nil || !d.follow.follows(e.Run) {
		return nil, err
	}
	if !d.follow.trusts(host, e.Attempt) {
		has, err := d.o.Queue.Has(ctx, e.Run, e.N, e.Attempt.Attempt, host)
		if err == nil && !has {
			d.suspect(ctx, host, "farm.events", e.Attempt)
		}
		if err != nil || !has {
			return nil, err
		}
		d.follow.trust(host, e.Attempt)
	}
	d.follow.forward(e)
	return nil, nil
}
