package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// phones is a driver of devices that show "Ready". Each logs what is run on it, as read from the files of the leases.
type phones struct {
	host  string
	n     int
	cost  time.Duration // of each screen read
	until chan struct{} // each screen read waits until it is closed; nil: none waits
	locks string        // the folder of the leases
	log   *os.File
	words *slog.Logger // of the worker; may be nil

	mu   sync.Mutex
	open map[string]bool
}

// line is a line of a device's log.
type line struct {
	Device string `json:"device"`
	Pack   string `json:"pack"`
	End    bool   `json:"end,omitempty"`
	PID    int    `json:"pid"`
	Micros int64  `json:"micros,omitempty"` // when, since 1970
}

func (p *phones) Platform() dsl.Platform { return dsl.Android }
func (p *phones) Close() error           { return nil }

func (p *phones) Devices(context.Context) (list []drivers.Info, err error) {
	for i := range p.n {
		list = append(list, drivers.Info{ID: fmt.Sprintf("%s-%d", p.host, i), Platform: dsl.Android, State: drivers.Ready,
			Model: "One"})
	}
	return list, nil
}

// holder returns the case for which a device is leased.
func (p *phones) holder(id string) string {
	files, _ := filepath.Glob(filepath.Join(p.locks, "taproot", "*.holder"))
	for _, file := range files {
		if !strings.HasPrefix(filepath.Base(file), id+"-") {
			continue
		}
		var h struct{ What string }
		if data, err := os.ReadFile(file); err == nil && json.Unmarshal(data, &h) == nil {
			return h.What
		}
	}
	return ""
}

func (p *phones) write(l line) error {
	if p.log == nil {
		return nil
	}
	l.PID, l.Micros = os.Getpid(), time.Now().UnixMicro()
	data, err := json.Marshal(l)
	if err == nil {
		_, err = p.log.Write(append(data, '\n')) // one write, so that lines of processes do not mix
	}
	return err
}

func (p *phones) Open(ctx context.Context, id string) (drivers.Device, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[id] {
		return nil, fmt.Errorf("%s is open already", id)
	}
	if p.open == nil {
		p.open = map[string]bool{}
	}
	p.open[id] = true
	d := &phone{p: p, id: id}
	if p.log != nil {
		d.pack = p.holder(id)
	}
	return d, p.write(line{Device: id, Pack: d.pack})
}

type phone struct {
	p        *phones
	id, pack string
	once     sync.Once
}

func (d *phone) Info() drivers.Info { return drivers.Info{ID: d.id, Model: "One"} }

func (d *phone) Close() (err error) {
	d.once.Do(func() {
		d.p.mu.Lock()
		defer d.p.mu.Unlock()
		delete(d.p.open, d.id)
		err = d.p.write(line{Device: d.id, Pack: d.pack, End: true})
	})
	return err
}

func (d *phone) Tree(ctx context.Context) (*screen.Tree, error) {
	timer := time.NewTimer(d.p.cost)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
	}
	if d.p.until != nil {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-d.p.until:
		}
	}
	r := image.Rect(0, 0, 40, 80)
	return screen.NewTree([]*screen.Node{{Type: "Text", Text: "Ready", Bounds: r}}, r.Max, time.Now()), nil
}

func (d *phone) Screenshot(ctx context.Context) (image.Image, error) {
	return image.NewGray(image.Rect(0, 0, 4, 8)), ctx.Err()
}
func (d *phone) Tap(ctx context.Context, _ image.Point) error { return ctx.Err() }
func (d *phone) Type(ctx context.Context, _ string) error     { return ctx.Err() }
