package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// KeepFrames says which report packs keep the frames that decisions rested on.
type KeepFrames string

// The policies; the empty one is KeepPassed.
const (
	KeepPassed KeepFrames = "passed" // those of all tests, at most framesLimit each
	KeepFailed KeepFrames = "failed" // those of tests that did not pass, at most framesLimit each
	KeepAll    KeepFrames = "all"    // those of all tests, without a limit
	KeepNone   KeepFrames = "off"
)

// ParseKeepFrames reads a policy.
func ParseKeepFrames(text string) (KeepFrames, error) {
	all := []KeepFrames{KeepPassed, KeepFailed, KeepAll, KeepNone}
	if k := KeepFrames(text); text == "" || slices.Contains(all, k) {
		return k, nil
	}
	return "", fmt.Errorf("unknown value %q: use passed, failed, all or off", text)
}

// framesLimit is how many bytes of frames a report pack keeps.
const framesLimit = 2 << 20

// FramesFile is where a report pack keeps its frames.
const FramesFile = "artifacts/frames.ndjson"

// frameWriter writes the frames that the decisions of a case rested on, next to the steps: they are selected and masked
// while later steps run.
type frameWriter struct {
	file  *os.File
	keep  KeepFrames
	steps chan stepSearches
	done  chan struct{}
	err   error // the first one; read after done
	count int
}

type stepSearches struct {
	step     int
	searches []decide.Recording
}

// startFrames starts to write; nil: there is no file to write to, or none is kept.
func startFrames(r *report, work string, keep KeepFrames) *frameWriter {
	if keep == KeepNone {
		return nil
	}
	f, err := os.Create(filepath.Join(work, filepath.Base(FramesFile)))
	if err != nil {
		r.keep(err)
		return nil
	}
	w := &frameWriter{file: f, keep: keep, steps: make(chan stepSearches, 64), done: make(chan struct{})}
	mask := r.sink.Mask().Text
	go func() {
		defer close(w.done)
		out, err := decide.NewWriter(f)
		if err != nil {
			w.err = err
		}
		out.Mask, out.Limit = mask, framesLimit
		if keep == KeepAll {
			out.Limit = 0
		}
		for s := range w.steps {
			for _, search := range s.searches {
				if w.err != nil {
					continue
				}
				w.err = out.Add(s.step, search)
				w.count++
			}
		}
	}()
	return w
}

// add takes the searches of a step.
func (w *frameWriter) add(step int, searches []decide.Recording) {
	if w != nil && len(searches) > 0 {
		w.steps <- stepSearches{step: step, searches: searches}
	}
}

// end waits for what is still written, and adds the file to the report of a case with this result, if it is kept.
func (w *frameWriter) end(r *report, result event.Result) {
	if w == nil {
		return
	}
	close(w.steps)
	<-w.done
	err := w.err
	if closed := w.file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		r.log(0, "%s may be incomplete: %v", strings.TrimPrefix(FramesFile, event.ArtifactsDir+"/"), err)
	}
	if w.count == 0 || r.sinkErr != nil || w.keep == KeepFailed && result == event.Pass {
		return
	}
	r.keep(r.sink.Add(event.Attachment{Path: FramesFile, Type: "application/x-ndjson",
		Kind: event.KindArtifact}, 0, w.file.Name()))
}
