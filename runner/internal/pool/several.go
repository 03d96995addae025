package pool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/seats"
)

// Want is one of several devices that are leased together.
type Want struct {
	Name     string // for messages
	Platform dsl.Platform
	Unmet    func(drivers.Info) string // why a device does not suit; "": it does
}

// SeveralRequest describes devices that are leased together.
type SeveralRequest struct {
	Wants []Want
	What  string // what they are needed for
	Sleep SleepFunc
	// Waits is called before it waits, with the devices that are in use, and again when they change; may be nil.
	Waits func(reason string)
}

// candidate is a device that one of several wants can have.
type candidate struct {
	driver drivers.Driver
	info   drivers.Info
}

// key is the place of a device in the order in which devices are leased.
func (c candidate) key() string { return string(c.info.Platform) + "/" + c.info.ID }

// LeaseAll waits until there is a free device for each want, and leases all of them or none. The leases are in the
// order of the wants, and no two are of the same device. A *NoDeviceError means that fewer suitable devices are
// attached than wanted.
//
// Two callers that each hold a device and wait for that of the other would wait forever, also in two processes. So
// LeaseAll holds nothing while it waits: it takes devices that seem free, in the order of their platforms and ids, and
// when one of them was taken meanwhile, it returns the others and chooses again.
func (p *Pool) LeaseAll(ctx context.Context, w SeveralRequest) ([]*Lease, error) {
	return several{Pool: p, SeveralRequest: w}.lease(ctx)
}

// several is one request for several devices.
type several struct {
	*Pool
	SeveralRequest
}

func (p several) lease(ctx context.Context) ([]*Lease, error) {
	w := p.SeveralRequest
	waiting := ""
	for age := trusted; ; age = fresh {
		wake := p.waker()
		choices, err := p.choices(ctx, age)
		if err == nil {
			err = lacking(w.Wants, choices)
		}
		if err != nil && age == trusted && ctx.Err() == nil {
			continue // do not trust an old list
		}
		if err != nil {
			return nil, err
		}
		leases, err := p.takeAll(choices)
		if leases != nil || err != nil {
			return leases, err
		}
		// one that was released just now is not named
		if reason := p.inUse(choices); w.Waits != nil && reason != "" && reason != waiting {
			waiting = reason
			w.Waits(reason)
		}
		for _, want := range w.Wants {
			p.watch(want.Platform)
		}
		if err := w.Sleep(ctx, rest, wake); err != nil {
			return nil, err
		}
	}
}

// Pick chooses a different device for each entry of a test, without leasing them: one that is free, or for which own
// returns true. rejects says why a device is not wanted; nil: each one that suits is.
func (p *Pool) Pick(ctx context.Context, entries []dsl.Entry, rejects func(dsl.Entry, drivers.Info) string,
	own func(id string) bool) ([]drivers.Info, error) {
	wants := make([]Want, len(entries))
	for i, e := range entries {
		wants[i] = WantOf(e)
		unmet := wants[i].Unmet
		wants[i].Unmet = func(info drivers.Info) string {
			if rejects == nil {
				return unmet(info)
			}
			return cmp.Or(rejects(e, info), unmet(info))
		}
	}
	s := several{Pool: p, SeveralRequest: SeveralRequest{Wants: wants}}
	choices, err := s.choices(ctx, fresh)
	if err == nil {
		err = lacking(wants, choices)
	}
	if err != nil {
		return nil, err
	}
	free := make([][]candidate, len(choices))
	for i, list := range choices {
		free[i] = slices.DeleteFunc(slices.Clone(list), func(c candidate) bool { return s.use(c) != "" && !own(c.info.ID) })
	}
	picked := seats.Assign(free, candidate.key)
	infos := make([]drivers.Info, len(wants))
	for i, n := range picked {
		if n < 0 {
			return nil, fmt.Errorf("the test needs %d devices at once: %s", len(wants), s.inUse(choices))
		}
		infos[i] = free[i][n].info
	}
	return infos, nil
}

// WantOf is the want of one device of a test with several.
func WantOf(e dsl.Entry) Want {
	return Want{Name: e.Name, Platform: e.Platform, Unmet: func(info drivers.Info) string {
		return e.Need.Unmet(FactsOf(info))
	}}
}

// FactsOf are the properties of a device that the needs of a test are compared with.
func FactsOf(i drivers.Info) dsl.DeviceFacts {
	return dsl.DeviceFacts{OS: i.OSVersion, Manufacturer: i.Manufacturer,
		Model: i.Model,
		Width: i.Width, Height: i.Height}
}

// choices lists the devices that suit each want, in use or not.
func (p several) choices(ctx context.Context, age time.Duration) ([][]candidate, error) {
	all := make([][]candidate, len(p.Wants))
	var lacks []string
	lost := false
	for i, want := range p.Wants {
		usable, err := p.usable(ctx, want.Platform, age)
		var none *NoDeviceError
		if errors.As(err, &none) {
			lacks, lost = append(lacks, want.Name+": "+none.Reason), lost || none.Lost
			continue
		}
		if err != nil {
			return nil, err
		}
		var unsuitable []string
		for _, c := range usable {
			why := want.Unmet(c.info)
			if c.info.Remote != "" {
				why = "devices of remotes are for tests with one device"
			}
			if why != "" {
				unsuitable = append(unsuitable, c.info.ID+": "+why)
				continue
			}
			all[i] = append(all[i], c)
		}
		if len(all[i]) == 0 {
			lacks = append(lacks, want.Name+": no device is what it needs: "+strings.Join(unsuitable, "; "))
		}
	}
	if len(lacks) > 0 {
		return nil, severalError(p.Wants, lacks, lost || p.lostSome())
	}
	return all, nil
}

// severalError says which of several devices are missing.
func severalError(wants []Want, lacks []string, lost bool) error {
	return &NoDeviceError{Lost: lost, Reason: fmt.Sprintf("the test needs %d devices at once, and not all are attached: "+
		"%s", len(wants), strings.Join(lacks, "; "))}
}

// lostSome reports whether a platform had more devices than it has now.
func (p several) lostSome() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.Wants, func(w Want) bool {
		ready := 0
		for _, driver := range placesOf(p.drivers, w.Platform) {
			for _, info := range p.listed[driver].infos {
				if info.State == drivers.Ready {
					ready++
				}
			}
		}
		return len(p.had[w.Platform]) > ready
	})
}

// lacking says which wants have no device of their own when the others have theirs.
func lacking(wants []Want, choices [][]candidate) error {
	picked := seats.Assign(choices, candidate.key)
	var lacks []string
	for i, want := range wants {
		if picked[i] >= 0 {
			continue
		}
		var others []string
		for _, c := range choices[i] {
			for k := range wants {
				if picked[k] >= 0 && choices[k][picked[k]].key() == c.key() {
					others = append(others, c.info.ID+" is for "+wants[k].Name)
				}
			}
		}
		lacks = append(lacks, fmt.Sprintf("%s: no further %s device suits it, and %s", want.Name, want.Platform,
			strings.Join(others, ", ")))
	}
	if len(lacks) == 0 {
		return nil
	}
	return severalError(wants, lacks, false)
}

// takeAll leases a free device for each want; nil when too few are free.
func (p several) takeAll(choices [][]candidate) ([]*Lease, error) {
	used := map[string]bool{}
	for {
		free := make([][]candidate, len(choices))
		for i, list := range choices {
			free[i] = slices.DeleteFunc(slices.Clone(list), func(c candidate) bool { return used[c.key()] || p.taken(c) })
		}
		picked := seats.Assign(free, candidate.key)
		if slices.Contains(picked, -1) {
			return nil, nil
		}
		leases, missed, err := p.takeThese(free, picked)
		if leases != nil || err != nil {
			return leases, err
		}
		used[missed] = true
	}
}

// takeThese leases the picked devices in the order of their keys; missed is the one that was not free, if any.
func (p several) takeThese(choices [][]candidate, picked []int) (leases []*Lease, missed string,
	err error) {
	order := make([]int, len(picked))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(choices[a][picked[a]].key(), choices[b][picked[b]].key())
	})
	leases = make([]*Lease, len(picked))
	var undo []func()
	for _, i := range order {
		c := choices[i][picked[i]]
		t, ok, err := grab(p.Pool, c.driver, c.info.ID, fmt.Sprintf("%s: %s", p.What, p.Wants[i].Name))
		if err != nil || !ok {
			for _, back := range undo {
				back()
			}
			return nil, c.key(), err
		}
		undo = append(undo, t.undo)
		leases[i] = p.newLease(c.driver, c.info, t.release)
	}
	return leases, "", nil
}

// taken reports whether a device is leased or reserved, as far as that is known without leasing it.
func (p several) taken(c candidate) bool {
	p.mu.Lock()
	own := p.local[c.key()]
	p.mu.Unlock()
	if own {
		return true
	}
	_, soon := p.Reserved(c.info.ID, "", Notice)
	return soon
}

// inUse names the devices that are waited for.
func (p several) inUse(choices [][]candidate) string {
	var list []string
	uses := map[string]string{} // each device is asked for once: it may be released meanwhile
	for i, want := range p.Wants {
		var ids []string
		for _, c := range choices[i] {
			use, known := uses[c.key()]
			if !known {
				use = p.use(c)
				uses[c.key()] = use
			}
			if use != "" {
				ids = append(ids, use)
			}
		}
		if len(ids) > 0 {
			list = append(list, want.Name+": "+strings.Join(ids, ", "))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "it waits for devices that are in use: " + strings.Join(list, "; ")
}

// use is a device that is in use, with its user where that is known; "": it is free.
func (p several) use(c candidate) string {
	if h, busy := p.Busy(c.info.ID); busy {
		return fmt.Sprintf("%s (%s)", c.info.ID, h.What)
	}
	if p.taken(c) {
		return c.info.ID
	}
	return ""
}
