package record

import (
	"context"
	"fmt"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// drag repeats a drag of the person, and records it: from element to element, or from point to point within one.
func (r *recorder) drag(ctx context.Context, t userAction) error {
	from, err := r.selector(ctx, t.X, t.Y)
	if err != nil {
		return err
	}
	to, err := r.selector(ctx, t.To.X, t.To.Y)
	if err != nil {
		return err
	}
	if line("tap", from) == line("tap", to) {
		from, to = place(t.X, t.Y), place(t.To.X, t.To.Y)
	}
	v := fields("from", from, source.Field{Key: "to", Value: to})
	if err := r.call(ctx, "drag", v); err != nil {
		return err
	}
	r.write(step{lines: []string{line("drag", v)}}, false)
	return r.sync(ctx, -1)
}

// place returns the arguments of a point of the window; x and y are fractions.
func place(x, y float64) source.Value {
	return text("point", fmt.Sprintf("%.2f%%,%.2f%%", 100*x, 100*y))
}

// arrived records that a person opened another page with the browser itself: by its address bar, or its history. If the
// page itself led there, the test gets there in the same way.
func (r *recorder) arrived(ctx context.Context, t userAction) error {
	now, err := r.currentEntry(ctx)
	if err != nil {
		return nil // no history is available, or another page has loaded by now, which is reported, too
	}
	was := r.visit
	if t.How == "back_forward" {
		now = entryOf(now, t.URL, was.Index)
	}
	r.visit = now
	led := r.pageNavigates
	r.pageNavigates = false
	switch {
	case led:
	case now.ID != was.ID && now.Typed && t.How == "navigate":
		r.write(step{lines: []string{line("webNavigate", text("url", now.URL))}}, false)
	case t.How == "reload" && now.ID == was.ID:
		r.write(step{lines: []string{line("webNavigate", text("to", "reload"))}}, false)
	case t.How == "back_forward" && now.Index != was.Index:
		to := "back"
		if now.Index > was.Index {
			to = "forward"
		}
		for n := max(now.Index-was.Index, was.Index-now.Index); n > 0; n-- {
			r.write(step{lines: []string{line("webNavigate", text("to", to))}}, false)
		}
	}
	return nil
}

// entryOf returns the history entry of a page that reported its arrival, while the browser may have continued since:
// the entry with its URL that is nearest to the previous entry.
func entryOf(now drivers.WebHistoryEntry, address string, before int) drivers.WebHistoryEntry {
	if address == "" || now.URL == address {
		return now
	}
	found, apart := now, -1
	for _, v := range now.All {
		if d := max(v.Index-before, before-v.Index); v.URL == address && (apart < 0 || d < apart) {
			found, apart = v, d
		}
	}
	return found
}

// currentEntry returns the history entry of the page in the foreground.
func (r *recorder) currentEntry(ctx context.Context) (v drivers.WebHistoryEntry, err error) {
	err = r.o.Devices.Use(ctx, r.device, who, func(ctx context.Context, s *action.Performer) error {
		page, ok := s.Device.(drivers.WebHistory)
		if !ok {
			return fmt.Errorf("the history: %w", drivers.ErrUnsupported)
		}
		var asked error
		if v, asked = page.Visit(ctx); asked != nil { // the device is in order
			return fmt.Errorf("%w: %w", drivers.ErrNotReady, asked)
		}
		return nil
	})
	return v, err
}
