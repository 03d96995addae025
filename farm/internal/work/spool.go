package work

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/runner/remote/order"
)

// spool stores packs that no hub has yet, as archives. Safe for concurrent use.
type spool struct {
	dir string

	mu    sync.Mutex
	files map[order.Attempt]string
}

const packSuffix = ".tar.gz"

func openSpool(dir string) (*spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("keep packs: %w", err)
	}
	s := &spool{dir: dir, files: map[order.Attempt]string{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("keep packs: %w", err)
	}
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		var a order.Attempt
		parts := strings.Split(strings.TrimSuffix(e.Name(), packSuffix), ".")
		if len(parts) == 3 && !strings.HasPrefix(e.Name(), ".") {
			a.Run = parts[0]
			if _, err := fmt.Sscan(parts[1], &a.N); err == nil {
				_, _ = fmt.Sscan(parts[2], &a.Attempt) // stays 0 when invalid
			}
		}
		if a.Attempt == 0 { // an incomplete pack of a process that died
			if err := os.RemoveAll(file); err != nil {
				return nil, fmt.Errorf("keep packs: %w", err)
			}
			continue
		}
		s.files[a] = file
	}
	return s, nil
}

// put stores a pack.
func (s *spool) put(a order.Attempt, packDir string) error {
	file := filepath.Join(s.dir, fmt.Sprintf("%s.%d.%d%s", a.Run, a.N, a.Attempt, packSuffix))
	if err := pack.ArchiveFile(packDir, file); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[a] = file
	return nil
}

func (s *spool) has(a order.Attempt) bool { return s.file(a) != "" }

func (s *spool) file(a order.Attempt) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[a]
}

func (s *spool) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.files) == 0
}

func (s *spool) all() (list []order.Attempt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for a := range s.files {
		list = append(list, a)
	}
	return list
}

func (s *spool) drop(a order.Attempt) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	file := s.files[a]
	delete(s.files, a)
	if file == "" {
		return nil
	}
	return os.Remove(file)
}

// deliver sends a pack to a hub. It retries until the worker ends. The pack is removed when a hub has it, or responds
// that its attempt was superseded.
func (w *Worker) deliver(a order.Attempt) bool {
	r, err := w.spool.describe(a)
	if err != nil {
		w.o.Log.Error("a pack cannot be read", "run", a.Run, "case", a.N, "error", err)
		r = order.Report{Attempt: a, Error: "its report was lost on the host: " + err.Error()}
	}
	var v order.ReportReply
	if err := w.ask(w.life, order.ReportSubject, r, &v); err != nil {
		return false // it is delivered at the next start
	}
	if err := w.spool.drop(a); err != nil {
		w.o.Log.Error("a delivered pack cannot be removed", "error", err)
	}
	return true
}

// describe makes the report of a pack.
func (s *spool) describe(a order.Attempt) (r order.Report, err error) {
	r.Attempt = a
	f, err := os.Open(s.file(a))
	if err != nil {
		return r, err
	}
	defer f.Close() // opened for reading only
	h := sha256.New()
	if r.Size, err = io.Copy(h, f); err != nil {
		return r, err
	}
	r.SHA256 = hex.EncodeToString(h.Sum(nil))
	if r.Size <= order.SmallPack {
		r.Pack, err = os.ReadFile(f.Name())
	}
	return r, err
}

// part returns a part of a pack to a hub.
func (w *Worker) part(_ string, body []byte) (any, error) {
	var p order.Part
	if err := json.Unmarshal(body, &p); err != nil {
		return nil, err
	}
	file := w.spool.file(p.Attempt)
	if file == "" {
		return nil, errors.New("the host has no such pack")
	}
	return ReadPart(file, p.From)
}

// ReadPart reads a part of a file.
func ReadPart(file string, from int64) (order.Bytes, error) {
	f, err := os.Open(file)
	if err != nil {
		return order.Bytes{}, err
	}
	defer f.Close() // opened for reading only
	b := make([]byte, order.PartSize)
	n, err := f.ReadAt(b, from)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return order.Bytes{Bytes: b[:n]}, err
}

// deliverLeft delivers the packs that an earlier process of this host has left.
func (w *Worker) deliverLeft() {
	var all sync.WaitGroup
	for _, a := range w.spool.all() {
		all.Go(func() { w.deliver(a) })
	}
	all.Wait()
}

// remoteReturns is how long a device of a remote that cannot be used is expected to be usable again.
const remoteReturns = 2 * time.Minute

// mayReturn reports whether a device of a remote cannot be used now, and could a moment ago: cases wait for it. The
// lock is held.
func (w *Worker) mayReturn(d *wire.Device) bool {
	if d.Remote == "" || d.Gone {
		return false
	}
	if d.State == drivers.Ready {
		w.ready[d.ID] = time.Now()
		return false
	}
	last, was := w.ready[d.ID]
	return was && time.Since(last) < remoteReturns
}

// AddTo adds to a beat the running attempts, and the devices that cases can use.
func (w *Worker) AddTo(ctx context.Context, b *wire.Beat) {
	browsers, _ := w.o.Pool.Usable(ctx, dsl.Web) // after an error there is none
	for _, d := range browsers {
		if d.Remote == "" && !slices.ContainsFunc(b.Devices, func(page wire.Device) bool {
			return page.ID == d.ID &&
				page.Platform == dsl.Web
		}) {
			b.Browsers = append(b.Browsers, wire.Device{Info: d})
		}
	}
	full := w.stillFull()
	w.mu.Lock()
	defer w.mu.Unlock()
	for a := range w.working {
		b.Working = append(b.Working, a.String())
	}
	slices.Sort(b.Working)
	for n, list := range [][]wire.Device{b.Devices, b.Browsers} {
		for i := range list {
			d := &list[i]
			if r := w.o.Config.Sessions().Offered(d.Remote); r != nil && d.Platform == dsl.Web {
				d.Browsers = []string{r.Browser()}
			}
			switch {
			case n == 0 && d.Platform == dsl.Web && d.Remote == "": // a page that a client drives
				d.Cases = wire.CasesLeased
			case w.mayReturn(d):
				d.Cases = wire.CasesLeased
			case d.Gone || d.Only != "" || d.State != drivers.Ready:
			case full || w.held[d.ID] == 0 && w.o.Pool.Held(d.Platform, d.ID):
				d.Cases = wire.CasesLeased
			default:
				d.Cases = wire.CasesFree
			}
		}
	}
}
