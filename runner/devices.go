package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// Need is what a spec wants of one of its devices.
type Need struct {
	Platform dsl.Platform // default: Android, unless TAPROOT_PLATFORM is set
	dsl.Need
}

// Devices is Device for several devices at once, by names of the spec: it leases all of them or none, in the order in
// which tests in YAML with several devices do, so that two specs never wait for each other. Each device has a report
// pack. All are released when the spec has ended. Without these devices the spec is skipped, or fails when
// TAPROOT_REQUIRE_DEVICES is set; the reason names each of them. The error says that a need is wrong, or that a report
// cannot be kept.
func Devices(ctx context.Context, needs map[string]Need) (map[string]*TestDevice, error) {
	ginkgo.GinkgoHelper()
	if len(needs) == 0 {
		return nil, errors.New("runner.Devices needs the names of devices: {\"alice\": {}, \"bob\": {Platform: dsl.Web}}")
	}
	s := theSuite()
	if s.runner == nil || !ginkgo.CurrentSpecReport().LeafNodeType.Is(types.NodeTypeIt) {
		return nil, errors.New("runner.Devices is for It and BeforeEach of a package with a test function that calls " +
			"runner.RunSuites(t, \".\")")
	}
	names := slices.Sorted(maps.Keys(needs))
	cases, hidden := make([]plan.Case, len(names)), make([][]string, len(names))
	var entries []dsl.Entry
	for i, name := range names {
		need := needs[name]
		if !slices.Contains([]dsl.Platform{"", dsl.Android, dsl.IOS, dsl.Web}, need.Platform) {
			return nil, fmt.Errorf("%s: platform %q is not known: use dsl.Android, dsl.IOS or dsl.Web", name, need.Platform)
		}
		options := []DeviceOption{Needing(need.Need)}
		if need.Platform != "" {
			options = append(options, map[dsl.Platform]DeviceOption{dsl.Android: OnAndroid(), dsl.IOS: OnIOS(),
				dsl.Web: OnWeb()}[need.Platform])
		}
		cases[i], hidden[i] = s.specCase(ginkgo.CurrentSpecReport(), placeOf(types.NewCodeLocation(0)), options)
		entries = append(entries, dsl.Entry{Name: name, Platform: cases[i].Platform, Browser: cases[i].Browser,
			Need: need.Need})
	}
	all := cases[0]
	all.Devices = entries
	leases, devices, none := run.OpenAll(ctx, s.runner, all)
	if none != nil {
		s.current.keep(none.Case.Pack)
		s.current.released = true
		s.refuse(*none)
	}
	return s.holdAll(ctx, names, held{cases, hidden, leases, devices})
}

// held are the devices of a spec before their reports start.
type held struct {
	cases   []plan.Case
	hidden  [][]string
	leases  []*pool.Lease
	devices []drivers.Device
}

// holdAll starts the reports of devices.
func (s *suite) holdAll(ctx context.Context, names []string, h held) (map[string]*TestDevice, error) {
	ginkgo.GinkgoHelper()
	out := map[string]*TestDevice{}
	var errs []error
	for i, name := range names {
		one, err := s.shared().Hold(ctx, specTest{ctx}, h.cases[i], h.leases[i], h.devices[i], h.hidden[i])
		if err != nil { // which has released it
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		s.current.keep(one.Pack())
		d := &specDevice{Held: one, suite: s}
		ginkgo.DeferCleanup(d.end)
		ginkgo.DeferOnFailure(d.onFailure)
		out[name] = one.Device
	}
	return out, errors.Join(errs...)
}
