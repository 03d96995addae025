package web

import (
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// TestArrivingLeavesNoTimer: the wait for a page that is opened ends with its timers, which would make the page count
// as busy for as long as they run.
func TestArrivingLeavesNoTimer(t *testing.T) {
	t.Parallel()
	const page = `<!doctype html><script>
  const left = new Set(), {setTimeout: set, clearTimeout: clear} = window;
  window.setTimeout = (run, delay) => {
    const id = set(() => { left.delete(id); run(); }, delay);
    left.add(id);
    return id;
  };
  window.clearTimeout = id => { left.delete(id); clear(id); };
</script><p>Here</p>`
	check := func(t *testing.T, d *device) {
		Must(t, d.OpenPage(t.Context(), dataPage(page), drivers.PageOptions{}))
		count, err := d.Eval(t.Context(), "left.size", 10*time.Second)
		if err != nil || count != 0 {
			t.Errorf("%v timers are left, %v", count, err)
		}
	}
	t.Run("chromium", func(t *testing.T) { check(t, open(t)) })
	t.Run("firefox", func(t *testing.T) {
		leftToFirefox(t)
		check(t, openFirefox(t))
	})
}
