package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/store"
)

// CenterOptions are the settings of a hub. Those without a default are required.
type CenterOptions struct {
	DB   *store.DB // with a migrated schema
	Dir  string    // for NATS, its keys, and temporary files
	NATS broker.Options
	// Bucket is where hubs share archives and packs; nil: they are in the folder of this hub.
	Bucket  blob.Bucket
	Seal    Sealer
	Keep    func(ctx context.Context, project string) (time.Duration, error) // see Options
	Version string
	Log     *slog.Logger
	Refused func(hub.Refusal) // receives each action of a host or project that was refused; must not block; may be nil
	Dead    time.Duration     // how long a host may be silent before its cases move; default: that of hub.Options
	Now     func() time.Time  // the clock for reservations; default: time.Now
}

// Center is a running hub: the NATS server, the hub that tracks hosts, and the dispatcher.
type Center struct {
	Broker     *broker.Broker
	Hub        *hub.Hub
	Queue      *queue.Queue
	Dispatcher *Dispatcher
	end        context.CancelFunc
	over       chan error
}

// OpenCenter starts a hub, which runs until Close, even after ctx has ended. A *net.OpError with "listen" means that
// the address for hosts cannot be listened on.
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

// Close ends the hub; the database stays open.
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
