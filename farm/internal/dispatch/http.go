package dispatch

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/remote/archive"
	"github.com/taproot-dev/taproot/runner/remote/order"
)

// Owner returns the project of a request.
type Owner func(*http.Request) string

// Handler serves the paths below /farm for clients that run cases. The requests are authorized already.
func (d *Dispatcher) Handler(of Owner) http.Handler {
	a := &api{d, of}
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(http.ResponseWriter, *http.Request) error{
		"HEAD /farm/archives/{sum}":         a.hasArchive,
		"PUT /farm/archives/{sum}":          a.putArchive,
		"POST /farm/runs":                   a.begin,
		"DELETE /farm/runs/{id}":            a.ofRun(a.end),
		"POST /farm/runs/{id}/cases":        a.ofRun(a.add),
		"POST /farm/runs/{id}/cancel":       a.ofRun(a.cancelCases),
		"POST /farm/runs/{id}/taken":        a.ofRun(a.taken),
		"GET /farm/runs/{id}/events":        a.ofRun(a.news),
		"GET /farm/runs/{id}/cases/{n}":     a.ofRun(a.why),
		"GET /farm/runs/{id}/packs/{which}": a.ofRun(a.pack),
		"GET /farm/usable":                  a.usable,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := handle(w, r); err != nil {
				a.fail(w, r, err)
			}
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern == "" || path.Clean(r.URL.Path) != r.URL.Path {
			unrouted(mux, w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

type api struct {
	d  *Dispatcher
	of Owner
}

const (
	// maxBody limits the size of JSON bodies.
	maxBody = 8 << 20
	// maxSettings limits the settings of a run, in bytes of JSON: hosts receive them in one message.
	maxSettings = 4 << 20
)

func read(r *http.Request, into any) error {
	body := &io.LimitedReader{R: r.Body, N: maxBody}
	err := json.NewDecoder(body).Decode(into)
	switch {
	case err == nil:
		return nil
	case body.N == 0:
		return &upload.TooLarge{Why: fmt.Sprintf("a body has at most %d bytes", maxBody)}
	}
	return &badRequest{"the body is not valid: " + err.Error()}
}

func write(w http.ResponseWriter, code int, value any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	return json.NewEncoder(w).Encode(value)
}

// ofRun handles requests for the run in the path. Runs of other projects do not exist for the caller.
func (a *api) ofRun(do func(http.ResponseWriter, *http.Request, queue.Run) error) func(http.ResponseWriter,
	*http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		run, err := a.d.o.Queue.Get(r.Context(), r.PathValue("id"))
		if err == nil && run.Project != a.of(r) {
			err = queue.ErrNoRun
		}
		if err != nil {
			return err
		}
		return do(w, r, run)
	}
}

func (a *api) hasArchive(w http.ResponseWriter, r *http.Request) error {
	if !archive.IsSum(r.PathValue("sum")) {
		return blob.ErrNotFound
	}
	has, err := a.d.files.has(r.Context(), a.of(r), r.PathValue("sum"))
	if err == nil && !has {
		err = blob.ErrNotFound
	}
	if err == nil {
		w.WriteHeader(http.StatusOK)
	}
	return err
}

func (a *api) putArchive(w http.ResponseWriter, r *http.Request) error {
	if !archive.IsSum(r.PathValue("sum")) {
		return &badRequest{"the name of an archive is its SHA-256, in hex"}
	}
	if err := a.d.files.put(r.Context(), a.of(r), r.PathValue("sum"), r.Body); err != nil {
		return err
	}
	w.WriteHeader(http.StatusCreated)
	return nil
}

func (a *api) begin(w http.ResponseWriter, r *http.Request) error {
	var in order.NewRun
	if err := read(r, &in); err != nil {
		return err
	}
	if in.Protocol != order.Protocol {
		older := "your taproot"
		if in.Protocol > order.Protocol {
			older = "the hub"
		}
		return &conflict{
			fmt.Sprintf("your taproot has version %d of the protocol for runs on a farm, the hub version %d: update %s",
				in.Protocol, order.Protocol, older)}
	}
	if !archive.IsSum(in.Archive) {
		return &badRequest{"archive must be the SHA-256 of an archive, in hex"}
	}
	if err := in.Settings.Check(); err != nil {
		return &badRequest{err.Error()}
	}
	text, err := json.Marshal(in.Settings)
	if err != nil {
		return err
	}
	if len(text) > maxSettings {
		return &badRequest{
			fmt.Sprintf("the settings of a run, which include its variables, have %d bytes, and the limit is %d: put large "+
				"values into a file", len(text), maxSettings)}
	}
	id := "run_" + strings.ToLower(rand.Text())
	if err := a.d.o.Queue.StartRun(r.Context(), queue.Run{ID: id, Project: a.of(r), Priority: in.Priority,
		Archive: in.Archive, Sealed: a.d.o.Seal.Seal(text, id)}); err != nil {
		return err
	}
	return write(w, http.StatusCreated, order.MadeRun{ID: id})
}

func (a *api) end(w http.ResponseWriter, r *http.Request, run queue.Run) error {
	if err := a.d.end(r.Context(), run.ID); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// end ends a run, and removes its packs.
func (d *Dispatcher) end(ctx context.Context, run string) error {
	if err := d.o.Queue.End(ctx, run); err != nil {
		return err
	}
	d.wakePick()
	return d.deletePacks(ctx, run)
}

// deletePacks removes the packs of a run that has ended. Tidy removes those that a host sends later.
func (d *Dispatcher) deletePacks(ctx context.Context, run string) error {
	names, err := d.o.Bucket.List(ctx, runFolder(run))
	for _, name := range names {
		err = errors.Join(err, d.o.Bucket.Delete(ctx, name))
	}
	return err
}

// mostCases limits the cases of one request.
const mostCases = 10_000

func (a *api) add(w http.ResponseWriter, r *http.Request, run queue.Run) error {
	var in []order.NewCase
	if err := read(r, &in); err != nil {
		return err
	}
	if len(in) > mostCases {
		return &badRequest{"too many cases at once"}
	}
	cases := make([]queue.Case, len(in))
	all, _ := a.d.devices()
	for i, c := range in {
		if c.N < 0 || len(c.What) > 64<<10 {
			return &badRequest{"a case needs a number from 0, and its description must be short"}
		}
		if c.Needs.Device != "" && queue.Needs(c.Needs).Kept(run.Project, all) {
			a.d.o.Refused("project "+run.Project, "device.use", "a run on "+c.Needs.Device)
		}
		cases[i] = queue.Case{N: c.N, Needs: queue.Needs(c.Needs), What: c.What}
	}
	if err := a.d.o.Queue.Add(r.Context(), run.ID, cases); err != nil {
		return err
	}
	a.d.wakePick()
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *api) cancelCases(w http.ResponseWriter, r *http.Request, run queue.Run) error {
	var in order.CaseNumbers
	if err := read(r, &in); err != nil {
		return err
	}
	if in.Waiting {
		removed, err := a.d.o.Queue.WithdrawWaiting(r.Context(), run.ID, in.N)
		if err != nil {
			return err
		}
		a.d.wakePick()
		return write(w, http.StatusOK, order.CaseNumbers{N: removed})
	}
	if err := a.d.o.Queue.Withdraw(r.Context(), run.ID, in.N); err != nil {
		return err
	}
	a.d.wakePick()
	under, cancelled, err := a.d.o.Queue.UnderWay(r.Context(), "")
	if err != nil {
		return err
	}
	left := order.CaseNumbers{N: []int{}} // running cases, which will end as interrupted
	for _, u := range under {
		if u.Run == run.ID && cancelled[[2]any{u.Run, u.N}] {
			left.N = append(left.N, u.N)
			if err := a.d.cancel(u); err != nil {
				return err
			}
		}
	}
	return write(w, http.StatusOK, left)
}

func (a *api) taken(w http.ResponseWriter, r *http.Request, run queue.Run) error {
	var in order.CaseNumbers
	if err := read(r, &in); err != nil {
		return err
	}
	if len(in.N) > 500 {
		return &badRequest{"too many cases at once"}
	}
	blobs, err := a.d.o.Queue.Take(r.Context(), run.ID, in.N)
	for _, name := range blobs {
		err = errors.Join(err, a.d.o.Bucket.Delete(r.Context(), name))
	}
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

func (a *api) why(w http.ResponseWriter, r *http.Request, run queue.Run) error {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		return queue.ErrNoRun
	}
	p, err := a.d.place(r.Context(), run.ID, n)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, p)
}

func (a *api) pack(w http.ResponseWriter, r *http.Request, run queue.Run) error {
	if !fs.ValidPath(r.PathValue("which")) || strings.Contains(r.PathValue("which"), "/") {
		return blob.ErrNotFound
	}
	in, err := a.d.o.Bucket.Get(r.Context(), runFolder(run.ID)+r.PathValue("which")+".tar.gz")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/gzip")
	_, err = io.Copy(w, in)
	if err = errors.Join(err, in.Close()); err != nil {
		panic(http.ErrAbortHandler) // so that the client notices that the pack is incomplete
	}
	return nil
}

func (a *api) usable(w http.ResponseWriter, r *http.Request) error {
	all, _ := a.d.devices()
	q := r.URL.Query()
	needs := queue.Needs{Platform: dsl.Platform(q.Get("platform")), Device: q.Get("device"), Pool: q.Get("pool"),
		Labels: q["label"]}
	n, err := a.d.o.Queue.Usable(r.Context(), a.of(r), needs, all)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, order.Usable{Cases: n})
}

const (
	// livesEvery is how often a client receives a message at least.
	livesEvery = 5 * time.Second
	// resultsAtOnce is how many results one query returns.
	resultsAtOnce = 500
)

// news streams the events of a run to its client, one per line, until it disconnects. It starts with the results that
// the client has not taken yet.
func (a *api) news(w http.ResponseWriter, r *http.Request, run queue.Run) error {
	var err error
	ctx := r.Context()
	f, leave := a.d.follow.join(run.ID)
	defer leave()
	w.Header().Set("Content-Type", "application/x-ndjson")
	s := &stream{api: a, run: run.ID, to: w, flush: http.NewResponseController(w), sent: map[[2]int]bool{},
		none: map[int]time.Time{}}
	if err := s.lives(ctx); err != nil {
		return nil // the response has started
	}
	lives, poll := time.NewTicker(livesEvery), time.NewTicker(time.Second)
	defer lives.Stop()
	defer poll.Stop()
	f.wake()
	for err == nil {
		select {
		case <-ctx.Done():
			return nil
		case <-lives.C:
			err = s.lives(ctx)
		case <-f.query:
			err = s.results(ctx)
		case <-poll.C:
			err = errors.Join(s.results(ctx), s.hopeless(ctx))
		case n := <-f.news:
			if n.Ended != nil {
				err = s.ended(*n.Ended)
			} else {
				err = s.send(n)
			}
		}
	}
	if ctx.Err() == nil {
		a.d.o.Log.DebugContext(ctx, "a client has stopped following", "run", run.ID, "error", err)
	}
	return nil
}

// stream is the response of news to one client.
type stream struct {
	api   *api
	run   string
	to    io.Writer
	flush *http.ResponseController
	sent  map[[2]int]bool   // results that were sent, by case and attempt
	none  map[int]time.Time // since when no host has what a case needs
	blind int               // consecutive failures to record in the database that the client is connected
}

func (s *stream) send(n order.RunEvent) error {
	_ = s.flush.SetWriteDeadline(time.Now().Add(30 * time.Second)) // if unsupported, the server has its own
	if err := json.NewEncoder(s.to).Encode(n); err != nil {
		return err
	}
	return s.flush.Flush()
}

func (s *stream) lives(ctx context.Context) error {
	if err := s.api.d.o.Queue.Seen(ctx, s.run); err != nil {
		if errors.Is(err, queue.ErrNoRun) {
			return err
		}
		s.api.d.o.Log.WarnContext(ctx, "a run", "error", err)
		if s.blind++; s.blind > 1 {
			return err // the client connects to another hub, which may reach the database
		}
	} else {
		s.blind = 0
	}
	return s.send(order.RunEvent{})
}

func (s *stream) results(ctx context.Context) error {
	list, err := s.api.d.o.Queue.Ended(ctx, s.run, resultsAtOnce)
	if err != nil {
		return nil // it is queried again
	}
	for _, r := range list {
		if err := s.ended(order.Ended{N: r.N, Attempt: r.Attempt, Error: r.Error}); err != nil {
			return err
		}
	}
	return nil
}

// hopelessAfter is how long a case waits for a device that no host has before the client is informed.
const hopelessAfter = time.Second

// ended sends a result, once.
func (s *stream) ended(e order.Ended) error {
	at := [2]int{e.N, e.Attempt}
	if s.sent[at] {
		return nil
	}
	s.sent[at] = true
	return s.send(order.RunEvent{Ended: &e})
}

func (s *stream) hopeless(ctx context.Context) error {
	if !s.api.d.o.Hub.Complete() {
		return nil
	}
	list, err := s.api.d.o.Queue.Hopeless(ctx, s.run, s.api.d.hoped())
	if err != nil {
		return nil // it is queried again
	}
	now := time.Now()
	for n := range s.none {
		if _, still := list[n]; !still {
			delete(s.none, n)
		}
	}
	for n, why := range list {
		switch since, known := s.none[n]; {
		case !known:
			s.none[n] = now
		case now.Sub(since) >= hopelessAfter:
			if err := s.send(order.RunEvent{None: &order.NoDevice{N: n, Why: why}}); err != nil {
				return err
			}
			s.none[n] = now
		}
	}
	return nil
}
