package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	// AckWait is how long a host may be silent about a case before it is sent again, unless somebody says otherwise.
	AckWait = 15 * time.Second
	// duplicates is how long a message id is known.
	duplicates = 2 * time.Minute
	// fetched is how many cases a host takes ahead of working on them: each has a device of its own there.
	fetched = 256
)

// noPeers is the JetStream error "no suitable peers for placement": too few servers of the cluster have heard of one
// another so far.
const noPeers jetstream.ErrorCode = 10005

// Jobs is the stream of cases, of a hub. Safe for concurrent use.
type Jobs struct {
	js   jetstream.JetStream
	wait time.Duration

	mu    sync.Mutex
	hosts map[string]bool // whose consumers are there
}

// OpenJobs makes the stream, or takes the one that is there. copies is how many servers of a cluster keep it; 1 without
// a cluster. wait is how long a host may be silent about a case before it is sent again.
func OpenJobs(ctx context.Context, nc *nats.Conn, copies int, wait time.Duration) (*Jobs, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("wire: the stream of cases: %w", err)
	}
	for until := time.Now().Add(electionLimit); ; {
		_, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: Stream, Subjects: []string{Work(">")},
			Retention: jetstream.WorkQueuePolicy, Duplicates: duplicates, Replicas: max(copies, 1)})
		if err == nil {
			return &Jobs{js: js, wait: wait, hosts: map[string]bool{}}, nil
		}
		if !electing(err) || ctx.Err() != nil || time.Now().After(until) {
			return nil, fmt.Errorf("wire: the stream of cases: %w", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// electionLimit is how long the servers of a cluster may take to agree on who leads them.
const electionLimit = time.Minute

// electing tells whether a cluster has nobody who decides, as just after its start.
func electing(err error) bool {
	var said *jetstream.APIError
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrNoResponders) || errors.As(err, &said) &&
		(said.ErrorCode == noPeers || said.Code == 503 && said.ErrorCode != jetstream.JSErrCodeJetStreamNotEnabled &&
			said.ErrorCode != jetstream.JSErrCodeJetStreamNotEnabledForAccount)
}

// Let makes the queue of a host, from which it may take cases.
func (j *Jobs) Let(ctx context.Context, host string) error {
	j.mu.Lock()
	known := j.hosts[host]
	j.mu.Unlock()
	if known {
		return nil
	}
	if !IsName(host) {
		return fmt.Errorf("wire: %q is no id of a host", host)
	}
	_, err := j.js.CreateOrUpdateConsumer(ctx, Stream, jetstream.ConsumerConfig{Durable: Consumer(host),
		FilterSubject: Work(host), AckPolicy: jetstream.AckExplicitPolicy, AckWait: j.wait, MaxAckPending: 4096})
	if err != nil {
		return fmt.Errorf("wire: the queue of host %s: %w", host, err)
	}
	j.mu.Lock()
	j.hosts[host] = true
	j.mu.Unlock()
	return nil
}

// Job is a case on its way to a host.
type Job struct {
	Host string
	ID   string // what was sent with the same id not long ago is not sent again
	Body any
}

// Send puts cases into the queues of their hosts, all at once, and waits until NATS has kept them.
func (j *Jobs) Send(ctx context.Context, jobs []Job) error {
	futures := make([]jetstream.PubAckFuture, 0, len(jobs))
	for _, job := range jobs {
		text, err := json.Marshal(job.Body)
		if err == nil {
			var f jetstream.PubAckFuture
			if f, err = j.js.PublishAsync(Work(job.Host), text, jetstream.WithMsgID(job.ID)); err == nil {
				futures = append(futures, f)
			}
		}
		if err != nil {
			return fmt.Errorf("wire: send a case: %w", err)
		}
	}
	for _, f := range futures {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			return fmt.Errorf("wire: send a case: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("wire: send a case: %w", context.Cause(ctx))
		}
	}
	return nil
}

// Forget removes the queue of a host that will not come back, with what is in it.
func (j *Jobs) Forget(ctx context.Context, host string) error {
	j.mu.Lock()
	delete(j.hosts, host)
	j.mu.Unlock()
	err := j.js.DeleteConsumer(ctx, Stream, Consumer(host))
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		err = nil
	}
	if err == nil {
		var s jetstream.Stream
		if s, err = j.js.Stream(ctx, Stream); err == nil {
			err = s.Purge(ctx, jetstream.WithPurgeSubject(Work(host)))
		}
	}
	if err != nil {
		return fmt.Errorf("wire: the queue of host %s: %w", host, err)
	}
	return nil
}

// ClaimedJob is a case that a host works on: NATS is told that it does, until Done.
type ClaimedJob struct {
	Body []byte
	m    jetstream.Msg
	stop func()
}

// Done says that nothing more is to be done about the case, and waits until NATS has heard it. An error means that the
// case may come again.
func (t *ClaimedJob) Done(ctx context.Context) error {
	t.stop()
	return t.m.DoubleAck(ctx)
}

// Leave lets the case come again soon.
func (t *ClaimedJob) Leave() error {
	t.stop()
	return t.m.Nak()
}

// Take gives a host its cases, each to a goroutine of its own, until ctx ends; it goes on when NATS was lost and is
// there again. The error says that NATS will not give any.
func Take(ctx context.Context, nc *nats.Conn, host string, work func(*ClaimedJob)) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("wire: %w", err)
	}
	var all sync.WaitGroup
	defer all.Wait()
	for ctx.Err() == nil {
		err := takeSome(ctx, js, host, func(m jetstream.Msg, wait time.Duration) {
			all.Go(func() { work(begin(m, wait/3)) })
		})
		if err != nil && ctx.Err() == nil { // the hub is away, or has made no queue yet
			select {
			case <-ctx.Done():
			case <-time.After(500 * time.Millisecond):
			}
		}
	}
	return nil
}

func takeSome(ctx context.Context, js jetstream.JetStream, host string, work func(jetstream.Msg, time.Duration)) error {
	asking, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	queue, err := js.Consumer(asking, Stream, Consumer(host))
	if err != nil {
		return err
	}
	messages, err := queue.Messages(jetstream.PullMaxMessages(fetched), jetstream.PullHeartbeat(2*time.Second),
		jetstream.PullExpiry(10*time.Second))
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, messages.Stop)
	defer stop()
	defer messages.Stop()
	for {
		m, err := messages.Next()
		switch {
		case errors.Is(err, jetstream.ErrNoHeartbeat):
			continue
		case err != nil:
			return err
		}
		work(m, queue.CachedInfo().Config.AckWait)
	}
}

// begin tells NATS again and again that a case is worked on.
func begin(m jetstream.Msg, every time.Duration) *ClaimedJob {
	over := make(chan struct{})
	t := &ClaimedJob{Body: m.Data(), m: m, stop: sync.OnceFunc(func() { close(over) })}
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				_ = m.InProgress() // lost with the connection, then the case comes again, and is known
			}
		}
	}()
	return t
}

// ServeEach is Serve with several calls of do at once, at most so many. None begins or goes on when stop has returned.
func ServeEach(nc *nats.Conn, subject, group string, atOnce int, do func(subject string, body []byte) (any, error)) (
	stop func(), err error) {
	slots := make(chan struct{}, atOnce)
	life := drivers.NewLifetime()
	sub, err := nc.QueueSubscribe(subject, group, func(m *nats.Msg) {
		slots <- struct{}{}
		err := life.Go(func() {
			defer func() { <-slots }()
			value, err := do(m.Subject, m.Data)
			_ = respond(m, value, err) // who asked asks again
		})
		if err != nil { // it is over
			<-slots
		}
	})
	if err != nil {
		return nil, fmt.Errorf("wire: serve %s: %w", subject, err)
	}
	settle(nc)
	return func() { _ = sub.Unsubscribe(); settle(nc); life.End() }, nil
}
