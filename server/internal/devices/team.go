package devices

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// team are the devices of one connection: one, or those of a test with several.
type team struct {
	main  string            // the id of the device of the path
	names map[string]string // ids by the names in the test; nil: one device
	ids   []string          // of all, sorted: the order in which they are leased and used
}

// teamOf reads which devices a connection is for.
func teamOf(id string, query url.Values) (team, error) {
	as, with := query.Get("as"), query.Get("with")
	if as == "" && with == "" {
		return team{main: id, ids: []string{id}}, nil
	}
	t := team{main: id, names: map[string]string{}}
	all := []string{as + "=" + id}
	if with != "" { // a test may list one device alone
		all = append(all, strings.Split(with, ",")...)
	}
	for _, one := range all {
		name, device, _ := strings.Cut(one, "=")
		if name == "" || checkDeviceID(device) != nil {
			return t, rest.Invalid(fmt.Sprintf("as, with: %.80q is not NAME=ID: write as=alice&with=bob=emulator-5556", one))
		}
		if t.names[name] != "" || slices.Contains(t.ids, device) {
			return t, rest.Invalid(fmt.Sprintf("as, with: %.80q is there twice: each name has a device of its own", one))
		}
		t.names[name] = device
		t.ids = append(t.ids, device)
	}
	slices.Sort(t.ids)
	return t, nil
}

// named returns the device of a name; "" is the one of the path.
func (t team) named(name string) (id string, known bool) {
	if name == "" {
		return t.main, true
	}
	id, known = t.names[name]
	return id, known
}

// inputLease is the first message of a connection: the lease under which it acts.
type inputLease struct {
	Lease  string `json:"lease"`
	Holder string `json:"holder"`
	who    string // the holder's name in runner/live
	own    bool   // the lease lasts as long as the connection
}

// holdAll returns the lease that the client shows for all devices, or a new one for the time of the connection: of all
// or none. With take, other connections of the same credential lose their devices.
//
// It takes the devices in the order of their ids. So of two connections for the same devices one gets all of them.
func (s *inputs) holdAll(ctx context.Context, t team, take bool) (inputLease, error) {
	c := rest.CallerOf(ctx)
	if who := s.heldBy(ctx, t); who != "" {
		return inputLease{Lease: c.Lease, Holder: who, who: who}, nil
	}
	g, lease := newGrant(c, "live")
	g.live = c.Name
	for _, id := range t.ids {
		if who := s.leases.ownConnection(id, c); take && who != "" && s.devices.Drop(id, who) {
			s.leases.drop(id)
		}
	}
	opening, cancel := s.deadline(ctx)
	defer cancel()
	for n, id := range t.ids {
		if _, err := s.devices.Hold(opening, id, g.who, inputLeaseTTL); err != nil {
			s.dropAll(team{ids: t.ids[:n]}, g.who)
			return inputLease{}, rest.AsDeviceError(err)
		}
	}
	for _, id := range t.ids { // to open one may have taken longer than the leases of those before it
		if !s.devices.Extend(id, g.who, inputLeaseTTL) {
			if _, err := s.devices.Hold(opening, id, g.who, inputLeaseTTL); err != nil {
				s.dropAll(t, g.who)
				return inputLease{}, rest.AsDeviceError(err)
			}
		}
	}
	for _, id := range t.ids {
		s.leases.put(id, g, s.devices.Held)
	}
	return inputLease{Lease: lease, Holder: g.who, who: g.who, own: true}, nil
}

// heldBy returns the name of the holder when the client has leased all devices already.
func (s *inputs) heldBy(ctx context.Context, t team) (who string) {
	c := rest.CallerOf(ctx)
	for _, id := range t.ids {
		s.beginReserved(ctx, id, c)
	}
	for _, id := range t.ids {
		h, held := s.devices.Held(id)
		if !held || s.leases.holder(id, c) != h.Who || who != "" && who != h.Who {
			return ""
		}
		who = h.Who
	}
	return who
}

// dropAll ends the lease of a connection.
func (s *inputs) dropAll(t team, who string) {
	for _, id := range t.ids {
		if s.devices.Drop(id, who) { // unless another caller has leased it by now
			s.leases.drop(id)
		}
	}
}

// fits says why the devices of a connection are not those that a test needs; "": they are.
func (s *inputs) fits(ctx context.Context, t team, entries []dsl.Entry) (string, error) {
	for _, e := range entries {
		id, open := t.names[e.Name]
		if !open {
			return fmt.Sprintf("the test has a device %s, and none is open for it: here are %s", e.Name,
				strings.Join(slices.Sorted(maps.Keys(t.names)), ", ")), nil
		}
		info, err := s.device(ctx, id)
		if err != nil {
			return "", err
		}
		if info.Platform != e.Platform {
			return fmt.Sprintf("the device %s of the test is %s, and %s is %s", e.Name, e.Platform, id, info.Platform), nil
		}
		if why := e.Need.Unmet(dsl.DeviceFacts{OS: info.OSVersion, Manufacturer: info.Manufacturer, Model: info.Model,
			Width: info.Width, Height: info.Height}); why != "" {
			return fmt.Sprintf("%s is not what the test needs as %s: %s", id, e.Name, why), nil
		}
	}
	return "", nil
}
