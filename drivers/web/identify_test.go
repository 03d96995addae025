package web

import (
	"strings"
	"testing"
)

func TestIdentify(t *testing.T) {
	t.Parallel()
	d := open(t)
	if id, err := d.Identify(t.Context()); id != nil || err != nil {
		t.Errorf("before a page is open: %+v, %v", id, err)
	}
	d = display(t, `<title>Shop</title><meta name="Build" content="2026.3">`)
	if id, err := d.Identify(t.Context()); err != nil || id == nil || id.Title != "Shop" || id.Version != "2026.3" {
		t.Errorf("%+v, %v", id, err)
	}
	d = display(t, `<script>document.title = "`+strings.Repeat("x", 5000)+`"</script>`)
	if id, err := d.Identify(t.Context()); err != nil || id == nil || len(id.Title) > 200 || id.Version != "" {
		t.Errorf("%+v, %v", id, err)
	}
}
