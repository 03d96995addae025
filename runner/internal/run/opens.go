package run

import (
	"fmt"
	"slices"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// openAttempts are the attempts of one case to open devices.
type openAttempts struct {
	need       dsl.Need
	avoid      string         // the id of a device to exclude; empty: none
	unsuitable []string       // why the skipped devices are not suitable
	tries      map[string]int // by id
	info       drivers.Info   // of the last one
	err        error
}

// passes reports whether the case cannot run on the device: its attempts are used up, or it is not what the test needs.
func (o *openAttempts) passes(info drivers.Info) bool {
	if info.ID == o.avoid {
		return true
	}
	if why := o.need.Unmet(pool.FactsOf(info)); why != "" {
		o.note(fmt.Sprintf("%s: %s", info.ID, why))
		return true
	}
	return o.tries[info.ID] >= maxOpens
}

// note records once why a device is not suitable.
func (o *openAttempts) note(why string) {
	if !slices.Contains(o.unsuitable, why) {
		o.unsuitable = append(o.unsuitable, why)
	}
}
