package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/server/blob"
	"github.com/taproot-dev/taproot/server/service/store"
)

// CenterOptions are what makes a process a hub; DB, Dir and Seal are needed.
type CenterOptions struct {
	DB   *store.DB // migrated
	Dir  string    // for NATS, its keys, and what is under way
	NATS broker.Options
	// Bucket is where hubs share archives and packs; nil: this hub has them in its folder.
	Bucket  blob.Bucket
	Seal    Sealer
	Keep    func(ctx context.Context, project string) (time.Duration, error) // see Options
	Version string
	Log     *slog.Logger
	Refused func(hub.Refusal) // is told what hosts and projects may not do; it must not wait. nil: nobody
	Dead    time.Duration     // how long a host may be silent before its cases go elsewhere; default: that of hub.Options
	Now     func() time.Time  // its clock; default: time.Now
}

// Center is a hub at work: NATS, what hears hosts, and what gives them cases.
type Center struct {
	Broker     *broker.Broker
	Hub        *hub.Hub
	Queue      *queue.Queue
	Dispatcher *Dispatcher
	end        context.CancelFunc
	over       chan error
}

// OpenCenter begins to be a hub; its work goes on after ctx, until Close. A *net.OpError "listen" means that hosts
// cannot be taken at the address of NATS.
func OpenCenter(ctx context.Context, o CenterOptions) (c *Center, err error) {
	c = &Center{over: make(chan error, 1), end: func() {}}
	defer func() {
		if err != nil {
			close(c.over)
			err = errors.Join(err, c.Close())
			c = nil
		}
	}()
	if o.Refused == nil {
		o.Refused = func(hub.Refusal) {}
	}
	if o.Bucket == nil {
		folder := filepath.Join(o.Dir, "files")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return c, err
		}
		if o.Bucket, err = blob.Open(folder, os.Getenv); err != nil {
			return c, err
		}
	}
	o.NATS.Dir, o.NATS.Log = o.Dir, o.Log
	if o.NATS.Revoked, err = hub.RevokedKeys(ctx, o.DB); err != nil {
		return c, err
	}
	if c.Broker, err = broker.Open(o.NATS); err != nil {
		return c, err
	}
	if c.Hub, err = hub.Open(ctx, hub.Options{DB: o.DB, Broker: c.Broker, Version: o.Version, Log: o.Log, Dead: o.Dead,
		Now: o.Now, Refused: o.Refused}); err != nil {
		return c, err
	}
	c.Queue = queue.New(o.DB, o.Now)
	c.Dispatcher, err = New(ctx, Options{Queue: c.Queue, Hub: c.Hub, Conn: c.Broker.Conn(), Copies: c.Broker.Copies(),
		Bucket: o.Bucket, Dir: filepath.Join(o.Dir, "runs"), Seal: o.Seal, Keep: o.Keep, Log: o.Log,
		Refused: func(actor, action, target string) {
			o.Refused(hub.Refusal{Actor: actor, Action: action, Target: target})
		}})
	if err != nil {
		return c, fmt.Errorf("the queue of the farm: %w", err)
	}
	working, end := context.WithCancel(context.WithoutCancel(ctx))
	c.end = end
	go func() { c.over <- c.Dispatcher.Run(working) }()
	return c, nil
}

// Close ends it; the database stays open.
func (c *Center) Close() error {
	c.end()
	err := <-c.over
	if c.Hub != nil {
		err = errors.Join(err, c.Hub.Close())
	}
	if c.Broker != nil {
		err = errors.Join(err, c.Broker.Close())
	}
	return err
}
