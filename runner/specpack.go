package runner

import (
	"fmt"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/testdevice"
)

// specSuffix distinguishes the pack of a spec from that of a YAML test with the same name.
const specSuffix = "-spec"

// specPacks names the packs of the running spec of a process.
type specPacks struct {
	spec     string
	attempt  int
	devices  int
	released bool     // a device of it was released
	packs    []string // of its first attempt
}

// name returns the pack of the next device of the running spec. If the folder exists, it belongs to a twin, another
// spec with the same text, unless the spec is run again.
func (s *specPacks) name(r types.SpecReport, taken map[string]plan.Case) (id, pack, twin string) {
	spec := r.FullText() + "\x00" + r.LeafNodeLocation.String()
	switch {
	case s.spec != spec || s.released && r.NumAttempts <= s.attempt: // or one of the same words
		*s = specPacks{spec: spec, attempt: r.NumAttempts}
	case s.attempt != r.NumAttempts:
		s.attempt, s.devices, s.released = r.NumAttempts, 0, false
	}
	s.devices++
	id = testdevice.SpecID(r.FullText())
	if _, ok := taken[id]; ok { // a YAML test has that name
		id += specSuffix
	}
	if pack = id; s.devices > 1 {
		pack += fmt.Sprintf("--device-%d", s.devices)
	}
	if s.attempt > 1 && s.devices <= len(s.packs) {
		return id, s.packs[s.devices-1], "" // a further attempt
	}
	return id, pack, "spec"
}

// keep remembers the pack that a name was given.
func (s *specPacks) keep(pack string) {
	if s.attempt <= 1 {
		s.packs = append(s.packs, pack)
	}
}
