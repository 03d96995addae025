// Package queue stores in SQL which cases wait for devices of a farm, and which host runs which attempt of which case.
// The code is in farm/internal/queue; this is what other folders need of it.
package queue

import (
	"time"

	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/internal/store"
)

// Queue is the queue of cases. Safe for concurrent use, also by several processes.
type Queue = queue.Queue

// New makes a Queue on a database with an up-to-date schema. now may be nil. It is used for waiting times and order
// only; correctness does not depend on it.
func New(db *store.DB, now func() time.Time) *Queue {
	return queue.New(db, now)
}

// Share is what a project may use of the farm compared with others, and what it uses now.
type Share = queue.Share
