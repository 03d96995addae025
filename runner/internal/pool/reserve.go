package pool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

// Reservation is the right to lease a device from one time to another. It is kept in a file, which all processes of the
// user respect, and outlasts them.
type Reservation struct {
	// identifies its holder here; two reservations have the same value only if they have the same holder
	Who     string    `json:"who"`
	Why     string    `json:"why,omitempty"`
	Project string    `json:"project,omitempty"` // of its holder
	From    time.Time `json:"from"`
	Until   time.Time `json:"until"`
	Sum     string    `json:"sum,omitempty"`   // of the holder's secret, for the server that manages reservations
	Owner   string    `json:"owner,omitempty"` // who needs no secret
	By      string    `json:"by,omitempty"`    // who made it
}

// Notice is how long before a reservation no case starts on its device any more: cases have no time limit, and few take
// longer.
const Notice = 10 * time.Minute

// ReservedError says that a device has another reservation, now or too soon.
type ReservedError struct {
	ID string
	Reservation
}

func (e *ReservedError) Error() string {
	return fmt.Sprintf("device %s is reserved from %s until %s", e.ID, e.From.UTC().Format(time.RFC3339),
		e.Until.UTC().Format(time.RFC3339))
}

// mostReserved limits the reservations of a device.
const mostReserved = 100

// ErrManyReserved says that a device has as many reservations as it may have.
var ErrManyReserved = fmt.Errorf("a device has at most %d reservations", mostReserved)

// Now is the time of the clock for reservations.
func (p *Pool) Now() time.Time { return p.reserved.now() }

// There converts a time of this machine's clock to the clock for reservations, Here the other way round.
func (p *Pool) There(t time.Time) time.Time { return t.Add(ahead(p.Now())) }

// Here converts a time of the clock for reservations to this machine's clock.
func (p *Pool) Here(t time.Time) time.Time { return t.Add(-ahead(p.Now())) }

// ahead is how far the clock for reservations is ahead of this machine's.
func ahead(now time.Time) time.Duration { return time.Until(now).Round(time.Second) }

// Reservations lists those of a device that have not ended, the first one first.
func (p *Pool) Reservations(id string) []Reservation {
	list, _ := p.reserved.read(id) // a file that cannot be read reserves nothing
	return list
}

func (l leases) read(id string) (list []Reservation, err error) {
	data, err := os.ReadFile(l.path(id) + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	now := l.now()
	list = slices.DeleteFunc(list, func(r Reservation) bool { return !now.Before(r.Until) })
	slices.SortFunc(list, func(a, b Reservation) int { return a.From.Compare(b.From) })
	return list, err
}

// Reserved reports whether a device has a reservation of another holder than who within a time from now on.
func (p *Pool) Reserved(id, who string, within time.Duration) (Reservation, bool) {
	until := p.Now().Add(within)
	for _, r := range p.Reservations(id) {
		if r.Who != who && !r.From.After(until) {
			return r, true
		}
	}
	return Reservation{}, false
}

// Reserve reserves a device, which may now be leased as who. A *ReservedError says that another reservation conflicts,
// a *BusyError that another client holds a lease that ends later.
func (p *Pool) Reserve(id string, want Reservation, who string) error {
	if h, busy := p.Busy(id); busy && p.There(h.Until).After(want.From) && h.Who != who {
		return &BusyError{ID: id, Holder: h}
	}
	return p.reserved.change(id, func(list []Reservation) ([]Reservation, error) {
		for _, r := range list {
			if want.From.Before(r.Until) && r.From.Before(want.Until) {
				return nil, &ReservedError{id, r}
			}
		}
		if len(list) >= mostReserved {
			return nil, ErrManyReserved
		}
		return append(list, want), nil
	})
}

// Unreserve ends the reservations that drop selects, and returns how many there were.
func (p *Pool) Unreserve(id string, drop func(Reservation) bool) (n int, err error) {
	if !slices.ContainsFunc(p.Reservations(id), drop) {
		return 0, nil
	}
	err = p.reserved.change(id, func(list []Reservation) ([]Reservation, error) {
		before := len(list)
		list = slices.DeleteFunc(list, drop)
		n = before - len(list)
		return list, nil
	})
	return n, err
}

// change replaces the reservations of a device, while no other process can.
func (l leases) change(id string, to func([]Reservation) ([]Reservation, error)) (err error) {
	if err := l.prepare(); err != nil {
		return fmt.Errorf("folder for reservations: %w", err)
	}
	lock := flock.New(l.path(id), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("reserve %s: %w", id, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	list, err := l.read(id)
	if err != nil {
		list = nil // the file is unreadable for all processes
	}
	if list, err = to(list); err != nil {
		return err
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	file, aside := l.path(id)+".json", l.path(id)+".new"
	if err = os.WriteFile(aside, data, 0o600); err == nil {
		err = os.Rename(aside, file)
	}
	return err
}
