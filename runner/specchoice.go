package runner

import (
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
	"github.com/taproot-dev/taproot/runner/internal/testdevice"
)

// specChoice selects the specs in Go for this shard, or to run again. The plan, which selects YAML tests, does not
// include them: Ginkgo reports a spec only when it starts.
type specChoice struct {
	shard  plan.Shard
	rerun  string          // name of the run with the failures to run again
	failed map[string]bool // by the ids of that run's packs: whether one of them must run again
}

// specsToRun reads the choice from the configuration.
func specsToRun(c run.Config) (*specChoice, error) {
	s := &specChoice{shard: c.Shard, failed: map[string]bool{}}
	if c.RerunFailed == "" {
		return s, nil
	}
	run, err := c.Earlier()
	if err != nil {
		return nil, err
	}
	s.rerun = run.Name
	for _, earlier := range run.Cases {
		s.failed[packID(earlier.Key)] = false
	}
	for _, name := range run.Failed() {
		s.failed[packID(name)] = true
	}
	return s, nil
}

func packID(pack string) string {
	id, _, _ := strings.Cut(pack, "--")
	return id
}

// without says why a spec does not run; "" when it does. A spec without a pack is run again, whatever its result; the
// specs of an Ordered container depend on each other, so they stay together and are always run again.
func (s *specChoice) without(r types.SpecReport) string {
	if name := specGroup(r); s.shard.Count > 1 &&
		int(crc32.ChecksumIEEE([]byte(name))%uint32(s.shard.Count)) != s.shard.Index-1 {
		return fmt.Sprintf("it is not in shard %s", s.shard)
	}
	if r.IsInOrderedContainer || s.rerun == "" {
		return ""
	}
	again, ran := false, false
	for _, id := range []string{testdevice.SpecID(r.FullText()), testdevice.SpecID(r.FullText()) + specSuffix} {
		failed, known := s.failed[id]
		again, ran = again || failed, ran || known
	}
	if ran && !again {
		return "it did not fail in the run " + s.rerun
	}
	return ""
}

// specGroup names the specs that stay together in one shard.
func specGroup(r types.SpecReport) string {
	if r.IsInOrderedContainer && len(r.ContainerHierarchyTexts) > 0 {
		return r.ContainerHierarchyTexts[0]
	}
	return r.FullText()
}

// passBy skips the running spec if it is in Go and not chosen.
func (s *suite) passBy() {
	r := ginkgo.CurrentSpecReport()
	if c, known := s.cases[strings.ToLower(r.LeafNodeText)]; known && isIn(r, c.Test.Pos.File) {
		return
	}
	if why := s.choice.without(r); why != "" {
		ginkgo.Skip(why)
	}
}

// isIn reports whether a spec is from a file of tests, which may be part of a sequence.
func isIn(r types.SpecReport, file string) bool {
	in := r.ContainerHierarchyTexts
	return len(in) == 1 && in[0] == file || len(in) == 2 && in[1] == file && r.IsInOrderedContainer
}
