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
	// AckWait is the default time that a host may be silent about a case before the case is delivered again.
	AckWait = 15 * time.Second
	// duplicates is how long JetStream remembers the id of a message.
	duplicates = 2 * time.Minute
	// fetched is how many cases a host takes at once: each of them has its own device there.
	fetched = 256
)

// noPeers is the JetStream error "no suitable peers for placement": too few servers of the cluster have found each
// other so far.
const noPeers jetstream.ErrorCode = 10005

// Jobs is the stream of cases on the side of a hub. Safe for concurrent use.
type Jobs struct {
	js   jetstream.JetStream
	wait time.Duration

	mu    sync.Mutex
	hosts map[string]bool // the hosts that have a consumer
}

// OpenJobs creates or updates the stream. copies is how many servers of a cluster store it (1 without a cluster). wait
// is how long a host may be silent about a case before the case is delivered again.
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

// electionLimit is how long the servers of a cluster may take to elect a leader.
const electionLimit = time.Minute

// electing reports whether an error means that a cluster has no leader yet, as just after its start.
func electing(err error) bool {
	var apiErr *jetstream.APIError
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrNoResponders) || errors.As(err, &apiErr) &&
		(apiErr.ErrorCode == noPeers || apiErr.Code == 503 && apiErr.ErrorCode != jetstream.JSErrCodeJetStreamNotEnabled &&
			apiErr.ErrorCode != jetstream.JSErrCodeJetStreamNotEnabledForAccount)
}

// Let creates the queue of a host, from which the host may take cases.
func (j *Jobs) Let(ctx context.Context, host string) error {
	j.mu.Lock()
	known := j.hosts[host]
	j.mu.Unlock()
	if known {
		return nil
	}
	if !IsName(host) {
		return fmt.Errorf("wire: %q is not a host id", host)
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

// Job is a case that is sent to a host.
type Job struct {
	Host string
	ID   string // JetStream ignores a second message with the same id
	Body any
}

// Send puts cases into the queues of their hosts, all at once, and waits until NATS has stored them.
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

// Forget removes the queue of a host that will not return, with its content.
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

// ClaimedJob is a case that a host works on. Until Done or Leave, NATS is regularly informed of the progress.
type ClaimedJob struct {
	Body []byte
	m    jetstream.Msg
	stop func()
}

// Done acknowledges the case and waits for NATS to confirm. After an error the case may be delivered again.
func (t *ClaimedJob) Done(ctx context.Context) error {
	t.stop()
	return t.m.DoubleAck(ctx)
}

// Leave lets NATS deliver the case again soon.
func (t *ClaimedJob) Leave() error {
	t.stop()
	return t.m.Nak()
}

// Take calls work for each case of a host, in a new goroutine each, until ctx ends. It continues after an interruption
// of NATS. It returns an error when JetStream cannot be used.
func Take(ctx context.Context, nc *nats.Conn, host string, work func(*ClaimedJob)) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("wire: %w", err)
	}
	var all sync.WaitGroup
	defer all.Wait()
	for ctx.Err() == nil {
		err := takeSome(ctx, js, host, func(m jetstream.Msg, wait time.Duration) {
			all.Go(func() { work(keepInProgress(m, wait/3)) })
		})
		if err != nil && ctx.Err() == nil { // the hub is unreachable, or has not created the queue yet
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

// keepInProgress informs NATS regularly that work on a case is in progress.
func keepInProgress(m jetstream.Msg, every time.Duration) *ClaimedJob {
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
				_ = m.InProgress() // without a connection the case is delivered again, and recognized
			}
		}
	}()
	return t
}

// ServeEach is Serve with at most atOnce concurrent calls of do. When stop returns, no call is running and none starts.
func ServeEach(nc *nats.Conn, subject, group string, atOnce int, do func(subject string, body []byte) (any, error)) (
	stop func(), err error) {
	slots := make(chan struct{}, atOnce)
	life := drivers.NewLifetime()
	sub, err := nc.QueueSubscribe(subject, group, func(m *nats.Msg) {
		slots <- struct{}{}
		err := life.Go(func() {
			defer func() { <-slots }()
			value, err := do(m.Subject, m.Data)
			_ = respond(m, value, err) // the requester repeats a request without a response
		})
		if err != nil { // stop was called
			<-slots
		}
	})
	if err != nil {
		return nil, fmt.Errorf("wire: serve %s: %w", subject, err)
	}
	settle(nc)
	return func() { _ = sub.Unsubscribe(); settle(nc); life.End() }, nil
}
