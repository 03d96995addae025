package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/order"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// add submits a case to the hub.
func (f *Farm) add(t run.Attempt) (int, *try, error) {
	place, err := f.place(t.Case)
	if err == nil && len(t.Needs) > 0 {
		place.Values, err = order.Seal(f.key, t.Needs)
	}
	if err != nil {
		return 0, nil, err
	}
	what, err := json.Marshal(place)
	if err != nil {
		return 0, nil, err
	}
	c := t.Case
	devices := slices.Clone(c.Devices)
	for i, e := range devices {
		devices[i].Pos = source.Pos{}
		if err := f.otherPool(c, e.Need.Pool); err != nil {
			return 0, nil, err
		}
	}
	if len(devices) > 0 {
		return f.submit(t, order.Needs{Platform: c.Platform, Avoid: t.Avoid, Pool: f.o.Pool, Labels: f.o.Labels,
			Devices: devices}, what)
	}
	in, labels, need := c.Test.Device.Placed()
	if err := f.otherPool(c, in); err != nil {
		return 0, nil, err
	}
	needs := order.Needs{Platform: c.Platform, Browser: plan.BrowserOf(c), Local: plan.NeedsLocal(c),
		Device: f.device(c.Platform), Avoid: t.Avoid, Need: need, Pool: cmp.Or(f.o.Pool, in),
		Labels: slices.Concat(f.o.Labels, labels)}
	return f.submit(t, needs, what)
}

// otherPool is the error of a case for a pool that is not the run's.
func (f *Farm) otherPool(c plan.Case, in string) error {
	if f.o.Pool == "" || in == "" || in == f.o.Pool {
		return nil
	}
	return &pool.NoDeviceError{Platform: c.Platform,
		Reason: fmt.Sprintf("the test needs a device of the pool %s, and the run is for the pool %s (--pool)", in, f.o.Pool)}
}

// submit lets a case wait for devices with these needs.
func (f *Farm) submit(t run.Attempt, needs order.Needs, what json.RawMessage) (int, *try, error) {
	mine := &try{of: t, ended: make(chan order.Ended, 1), none: make(chan string, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over != nil {
		return 0, nil, f.over
	}
	n := f.next
	f.next++
	f.tries[n] = mine
	f.adding = append(f.adding, order.NewCase{N: n, Needs: needs, What: what})
	f.wakePost()
	return n, mine, nil
}

// place returns the reference by which the host finds the case in the archive.
func (f *Farm) place(c plan.Case) (plan.Ref, error) {
	ref := plan.RefOf(c)
	if filepath.IsAbs(filepath.FromSlash(ref.File)) {
		name, err := f.made.Name(ref.File)
		if err != nil {
			return ref, err
		}
		rel, err := filepath.Rel(filepath.FromSlash(f.made.Dir), filepath.FromSlash(name))
		if err != nil {
			return ref, err
		}
		ref.File = filepath.ToSlash(rel)
	}
	return ref, nil
}

// leave forgets a case, and informs the hub that its result was received.
func (f *Farm) leave(n int, mine *try) {
	mine.forwarding.Lock()
	mine.closed = true
	mine.forwarding.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.tries, n)
	f.takings = append(f.takings, n)
	f.wakePost()
}

// wakePost wakes post. The caller holds f.mu.
func (f *Farm) wakePost() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// withdraw cancels a case, and reports whether it is running and will still end.
func (f *Farm) withdraw(n int) bool {
	ctx, cancel := context.WithTimeout(f.life, cancelLimit)
	defer cancel()
	var left order.CaseNumbers
	if err := f.call(ctx, Request{Method: http.MethodPost, Path: "runs/" + f.id + "/cancel", Body: order.CaseNumbers{
		N: []int{n}}, Into: &left}); err != nil {
		return false
	}
	for _, m := range left.N {
		if m == n {
			return true
		}
	}
	return false
}

// askLate is how often a case that must not start any more is withdrawn again, until it has started or ended.
const askLate = 2 * time.Second

// withdrawWaiting cancels a case that waits for a device, and reports whether it did.
func (f *Farm) withdrawWaiting(ctx context.Context, n int) bool {
	var removed order.CaseNumbers
	err := f.call(ctx, Request{Method: http.MethodPost, Path: "runs/" + f.id + "/cancel", Body: order.CaseNumbers{
		N: []int{n}, Waiting: true}, Into: &removed})
	return err == nil && slices.Contains(removed.N, n)
}

// atOnce limits the cases in one request.
const atOnce = 500

// post sends new cases, and the numbers of received results, in batches.
func (f *Farm) post() {
	for {
		select {
		case <-f.life.Done():
			return
		case <-f.wake:
		}
		f.mu.Lock()
		adding, takings := f.adding, f.takings
		f.adding, f.takings = nil, nil
		f.mu.Unlock()
		for len(adding) > 0 {
			some := adding[:min(len(adding), atOnce)]
			adding = adding[len(some):]
			if err := f.call(f.life, Request{Method: http.MethodPost, Path: "runs/" + f.id + "/cases", Body: some}); err != nil {
				f.refuse(some, err)
			}
		}
		for len(takings) > 0 {
			some := takings[:min(len(takings), atOnce)]
			takings = takings[len(some):]
			if err := f.call(f.life, Request{Method: http.MethodPost, Path: "runs/" + f.id + "/taken", Body: order.CaseNumbers{
				N: some}}); err != nil {
				f.o.Log.Debug("the hub was not informed that results were received", "error", err)
			}
		}
	}
}

// refuse ends cases that the hub does not accept.
func (f *Farm) refuse(cases []order.NewCase, err error) {
	for _, c := range cases {
		f.conclude(order.Ended{N: c.N, Error: "the hub does not accept the case: " + err.Error()})
	}
}

func (f *Farm) conclude(e order.Ended) {
	f.mu.Lock()
	t := f.tries[e.N]
	f.mu.Unlock()
	if t != nil {
		select {
		case t.ended <- e:
		default: // it has a result already
		}
	}
}
