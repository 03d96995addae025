package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
)

// deviceIdle is how long a device stays open after its last command: longer than the process lives without one.
const deviceIdle = 24 * time.Hour

// shortSecret is the length, in bytes, below which a secret cannot be masked without masking everything else.
const shortSecret = 3

// session is one project's use of devices. Commands of several shells take turns.
type session struct {
	key
	client *client.Client
	conf   run.Config
	pool   *pool.Pool
	live   *live.Devices
	began  time.Time
	turn   chan struct{}
	base   context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	used   time.Time
	holder string

	names map[string]string // the devices of the last test with several, by their names in it; for commands in turn
}

func newSession(o Options, req Request) (*session, error) {
	lookup := func(name string) (string, bool) { v, ok := req.Env[name]; return v, ok }
	conf, err := run.FromEnv(req.Project, lookup)
	if err != nil {
		return nil, err
	}
	if err := conf.Programs.ByUser(conf.Getenv, conf.Dir); err != nil {
		return nil, err
	}
	exposed := map[string]string{}
	for _, name := range req.Expose {
		value := req.Env[name]
		if len(value) < shortSecret {
			return nil, fmt.Errorf(
				"--expose-env %s: the environment has no such variable, or its value is too short to be kept secret", name)
		}
		exposed[name] = value
	}
	mask := &event.Mask{}
	s := &session{key: key{req.Project, req.Session}, conf: conf, began: time.Now(), turn: make(chan struct{}, 1)}
	s.base, s.cancel = context.WithCancel(context.Background())
	s.client = client.New(client.Config{Mask: mask, Who: "this session", Exposed: exposed, AnyLink: true,
		Log: o.Log, Process: process, Speak: spellCall, Own: func() *dsl.Own { return conf.OwnActions(conf.Dir) }})
	s.pool = pool.New(o.Drivers(conf), conf.PoolOptions())
	s.live, err = live.New(live.Options{Pool: s.pool, Vision: conf.Vision(), What: process, Timeout: conf.Timeout,
		Idle: deviceIdle, PageIdle: deviceIdle,
		Access: conf.Access, AllowShell: conf.AllowShell, Exec: conf.Programs.Options(conf.Getenv), Exposed: exposed,
		Mask: mask, Prepare: s.client.Prepare})
	if err != nil {
		return nil, errors.Join(err, s.pool.Close())
	}
	s.client.Pool, s.client.Live = s.pool, s.live
	return s, nil
}

// process is the name of the background process in leases.
const process = "taproot shell"

// exposes rejects variables that the session was not started with.
func (s *session) exposes(names []string) error {
	for _, name := range names {
		if _, ok := s.client.Exposed[name]; !ok {
			return fmt.Errorf(
				"--expose-env %s: the session was started without it; taproot close, and use it with the first command", name)
		}
	}
	return nil
}

// resume takes over the steps of a session of a previous process.
func (s *session) resume(k savedSession) {
	for _, done := range k.Journal {
		s.client.Journal.Add(done)
	}
}

func (s *session) kept() savedSession { return savedSession{s.info(), s.client.Journal.Steps()} }

func (s *session) info() SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := SessionInfo{Project: s.project, Name: s.name, Began: s.began.UTC(), Used: s.used.UTC(), Holder: s.holder,
		Steps: len(s.client.Journal.Steps())}
	for _, d := range s.live.Open() {
		i.Devices = append(i.Devices, DeviceInfo{ID: d.Info.ID, Platform: string(d.Info.Platform),
			Page: s.client.Mask.Text(s.client.News.At(d.Info.ID))})
	}
	slices.SortFunc(i.Devices, func(a, b DeviceInfo) int { return strings.Compare(a.ID, b.ID) })
	return i
}

func (s *session) close() error {
	s.cancel()
	err := s.live.Close()
	return errors.Join(err, s.pool.Close())
}

// do performs one command when it is its turn.
func (s *session) do(ctx context.Context, req Request) Response {
	ctx, leave := drivers.Bound(ctx, s.base)
	defer leave()
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return Response{Exit: run.ExitInterrupted,
			Text: "the session was closed, or the command ended, before its turn"}
	}
	defer func() { <-s.turn }()
	s.hold(req.Caller)
	defer s.hold("")
	answer, err := s.perform(ctx, req)
	if err != nil {
		return s.errorAnswer(ctx, req, err)
	}
	if answer, err = s.client.Masked(answer); err != nil {
		return Response{Exit: run.ExitError, Text: err.Error()}
	}
	return respond(answer)
}

func (s *session) hold(who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holder, s.used = who, time.Now()
}

// perform performs the requested operation.
func (s *session) perform(ctx context.Context, req Request) (*client.Answer, error) {
	if id := s.names[req.Device]; id != "" {
		req.Device = id
	}
	c := &client.Call{Client: s.client, Device: req.Device, Then: req.Then, Dir: req.Dir, Name: req.Op, Brief: true}
	switch req.Op {
	case OpWord:
		return s.runAction(ctx, c, req)
	case OpSteps:
		return s.steps(ctx, c, req.Steps)
	case OpSnapshot, OpScreenshot:
		device, err := c.AnyDevice(ctx)
		if err != nil {
			return nil, err
		}
		if req.Op == OpSnapshot {
			return c.Screen(device).Look(ctx, *req.View)
		}
		return c.Screen(device).Screenshot(ctx, *req.Look)
	case OpSave:
		text, err := s.client.Journal.YAML(req.ID, time.Now())
		return client.Text(text), err
	case OpTest:
		return s.test(ctx, c, *req.Test)
	case OpRefs:
		return client.Text(s.refs()), nil
	}
	return nil, &client.Refusal{What: fmt.Sprintf("there is no operation %q", req.Op)}
}

// refs lists the references of the last snapshots with their elements.
func (s *session) refs() string {
	var b strings.Builder
	for _, d := range s.live.Open() {
		for _, line := range s.client.Listed(d.Info.ID) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// respond converts an answer to a response.
func respond(a *client.Answer) Response {
	r := Response{Steps: a.Step, Value: a.Value}
	var words []string
	for _, p := range a.Parts {
		if p.Data != nil {
			r.Images = append(r.Images, Image{Kind: p.Kind, Data: p.Data})
		} else if p.Text != "" {
			words = append(words, strings.TrimRight(p.Text, "\n"))
		}
	}
	r.Text = strings.Join(words, "\n")
	for _, f := range a.Files {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			r.Text += fmt.Sprintf("\nthe file %s cannot be read: %v", f.Name, err)
			continue
		}
		r.Files = append(r.Files, File{Name: f.Name, Data: data})
	}
	return r
}
