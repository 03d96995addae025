package runner

import (
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/taproot-dev/taproot/reporters/pack"
	"github.com/taproot-dev/taproot/runner/plan"
)

// specSuffix tells the pack of a spec from that of a YAML test with the same name.
const specSuffix = "-spec"

// specPacks names the packs of the spec that a process is running.
type specPacks struct {
	spec    string
	attempt int
	devices int
	over    bool     // a device of it was given back
	packs   []string // of its first attempt
}

// name gives the next device of the running spec its pack. What a folder of that name would otherwise be is a twin,
// another spec of the same words, unless the spec is run again.
func (s *specPacks) name(r types.SpecReport, taken map[string]plan.Case) (id, pack, twin string) {
	spec := r.FullText() + "\x00" + r.LeafNodeLocation.String()
	switch {
	case s.spec != spec || s.over && r.NumAttempts <= s.attempt: // or one of the same words
		*s = specPacks{spec: spec, attempt: r.NumAttempts}
	case s.attempt != r.NumAttempts:
		s.attempt, s.devices, s.over = r.NumAttempts, 0, false
	}
	s.devices++
	id = specID(r.FullText())
	if _, ok := taken[id]; ok { // a YAML test has that name
		id += specSuffix
	}
	if pack = id; s.devices > 1 {
		pack += fmt.Sprintf("--device-%d", s.devices)
	}
	if s.attempt > 1 && s.devices <= len(s.packs) {
		return id, s.packs[s.devices-1], "" // a try
	}
	return id, pack, "spec"
}

// keep remembers what became of a name.
func (s *specPacks) keep(pack string) {
	if s.attempt <= 1 {
		s.packs = append(s.packs, pack)
	}
}

// specID makes an id of what a spec is called; of long or foreign words only a part can be kept, and a checksum stands
// for the rest.
func specID(text string) string {
	id := pack.Slug(text)
	plain := strings.Join(strings.Fields(strings.ToLower(text)), "-")
	switch {
	case id == "":
		return fmt.Sprintf("spec-%08x", crc32.ChecksumIEEE([]byte(text)))
	case len(plain) > len(id):
		return fmt.Sprintf("%s-%04x", id, crc32.ChecksumIEEE([]byte(text))&0xffff)
	}
	return id
}
