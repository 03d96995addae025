package engine

import (
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/decide"
)

// framesLimit is how many bytes of frames a report pack keeps.
const framesLimit = 2 << 20

// frameWriter writes the frames that the decisions of a case rested on, next to the steps: they are selected and masked
// while later steps run.
type frameWriter struct {
	file  *os.File
	steps chan stepSearches
	done  chan struct{}
	err   error // the first one; read after done
	count int
}

type stepSearches struct {
	step     int
	searches []decide.Recording
}

// startFrames starts to write; nil: there is no file to write to.
func startFrames(r *run, work string) *frameWriter {
	f, err := os.Create(filepath.Join(work, "frames.ndjson"))
	if err != nil {
		r.keep(err)
		return nil
	}
	w := &frameWriter{file: f, steps: make(chan stepSearches, 64), done: make(chan struct{})}
	mask := r.sink.Mask().Text
	go func() {
		defer close(w.done)
		out, err := decide.NewWriter(f)
		if err != nil {
			w.err = err
		}
		for s := range w.steps {
			for _, search := range s.searches {
				if w.err != nil {
					continue
				}
				out.Mask, out.Limit = mask, framesLimit
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

// end waits for what is still written, and adds the file to the report.
func (w *frameWriter) end(r *run) {
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
		r.log(0, "frames.ndjson may be incomplete: %v", err)
	}
	if w.count == 0 || r.sinkErr != nil {
		return
	}
	r.keep(r.sink.Add(event.Attachment{Path: "artifacts/frames.ndjson", Type: "application/x-ndjson",
		Kind: event.KindArtifact}, 0, w.file.Name()))
}
