package drivers

import (
	"context"
	"time"
)

// Warner is a Device that can be kept from doing what it was asked for although the call continues: animations that
// stay on, permissions that stay as they are.
type Warner interface {
	// TakeWarnings returns what came up since the last call, each as a sentence that says what to do.
	TakeWarnings() []string
}

// TakeWarnings returns the warnings of a device that has any.
func TakeWarnings(d Device) []string {
	if w, ok := d.(Warner); ok {
		return w.TakeWarnings()
	}
	return nil
}

// AnimationControl is a Device that can be kept from doing things by itself: screens come to rest sooner, nothing is
// tapped in flight, and none goes dark while a test waits.
type AnimationControl interface {
	// StopAnimations switches the system's animations off and keeps the display on until Device.Close, or until the device
	// is opened next, should this process be killed before.
	StopAnimations(ctx context.Context) error
}

// Meter is a Device that reports what an app costs it.
type Meter interface {
	// Measure looks at the app that was launched last; nil when there is none that runs. Unlike a Device's other methods
	// it may be called while another call is under way, and it does nothing to the app.
	Measure(ctx context.Context) (*Measurement, error)
}

// WatchedInstaller is an AppManager that reports how far an installation has come.
type WatchedInstaller interface {
	// InstallWatched is Install that calls progress with the bytes that the device has taken. It does so from one
	// goroutine at a time, and not after it has returned.
	InstallWatched(ctx context.Context, path string, progress func(done, total int64)) error
}

// Measurement is what an app costs at one moment. What the device does not report is nil.
type Measurement struct {
	App        string        `json:"app"`
	At         time.Time     `json:"-"`
	MemoryKB   *int64        `json:"memory_kb,omitempty"` // proportional set size
	CPU        time.Duration `json:"-"`                   // that the process has used since it started; 0: unknown
	Process    int           `json:"-"`                   // its id: CPU and frames of another one start from 0
	Frames     *int64        `json:"frames,omitempty"`    // drawn since the app started
	JankyCount *int64        `json:"janky_frames,omitempty"`
}
