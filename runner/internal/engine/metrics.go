package engine

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// usage is what a case uses of the device and of AI models.
type usage struct {
	*report
	session *action.Performer
	meter   *meter        // nil: the device cannot be measured
	models  event.Metrics // of models
}

// keepMetrics keeps the case's use of the device and of AI models, if there was any.
func (u *usage) keepMetrics(ctx context.Context) {
	all := u.meter.finish(ctx, u.result != event.Error)
	all.Models = u.models.Models
	if len(all.Samples) == 0 && len(all.Models) == 0 || u.sinkErr != nil {
		return
	}
	all.SumUp()
	all.Format = format.Metrics
	data, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		path := filepath.Join(u.session.Work, "metrics.json")
		if err = os.WriteFile(path, append(data, '\n'), 0o644); err == nil {
			u.keep(u.sink.Add(event.Attachment{Path: event.MetricsPath, Type: "application/json", Kind: event.KindArtifact},
				0, path))
		}
	}
	if err != nil {
		u.log(0, "no metrics: %v", err)
	}
}

const (
	// meterEvery is how often the app is measured: a measurement costs the phone some hundred milliseconds of one core.
	meterEvery = 5 * time.Second
	meterFirst = time.Second     // for a test that ends sooner, or that stops its app at its end
	meterLast  = 3 * time.Second // for the sample at the end
	meterMost  = 2000
)

// meter measures the app while the steps run. Its errors fail nothing.
type meter struct {
	dev   drivers.Meter
	began time.Time
	stop  context.CancelFunc
	done  sync.WaitGroup

	all  event.Metrics
	last *drivers.Measurement

	mu   sync.Mutex
	pids []int // of the measured processes
}

// processes returns the ids of the app's processes that were measured so far.
func (m *meter) processes() []int {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.pids)
}

// startMeter starts to measure, if the device supports it.
func startMeter(ctx context.Context, dev drivers.Device) *meter {
	d, ok := dev.(drivers.Meter)
	if !ok {
		return nil
	}
	m := &meter{dev: d, began: time.Now(), all: event.Metrics{IntervalMS: meterEvery.Milliseconds()}}
	ctx, m.stop = context.WithCancel(ctx)
	m.done.Go(func() {
		for next := meterFirst; drivers.Pause(ctx, next) == nil; {
			if m.sample(ctx) {
				next = meterEvery
			}
		}
	})
	return m
}

// sample measures once, and reports whether it had a result.
func (m *meter) sample(ctx context.Context) (measured bool) {
	_ = action.Guard(func() error {
		now, err := m.dev.Measure(ctx)
		if err != nil || now == nil || len(m.all.Samples) >= meterMost {
			return err
		}
		s := event.Sample{AtMS: now.At.Sub(m.began).Milliseconds(), App: now.App, MemoryKB: now.MemoryKB, Frames: now.Frames,
			Janky: now.JankyCount}
		if before := m.last; before != nil && before.Process == now.Process && now.CPU > 0 && now.At.After(before.At) {
			percent := 100 * float64(now.CPU-before.CPU) / float64(now.At.Sub(before.At))
			s.CPUPercent = &percent
		}
		m.last = now
		m.mu.Lock()
		if now.Process > 0 && !slices.Contains(m.pids, now.Process) {
			m.pids = append(m.pids, now.Process)
		}
		m.mu.Unlock()
		m.all.Samples = append(m.all.Samples, s)
		measured = true
		return nil
	})
	return measured
}

// finish measures a last time, if the device still works, and returns the metrics.
func (m *meter) finish(ctx context.Context, deviceWorks bool) event.Metrics {
	if m == nil {
		return event.Metrics{}
	}
	m.stop()
	m.done.Wait()
	if deviceWorks && ctx.Err() == nil {
		ctx, cancel := context.WithTimeout(ctx, meterLast)
		m.sample(ctx)
		cancel()
	}
	return m.all
}
