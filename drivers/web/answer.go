package web

import (
	"net/url"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

var _ drivers.PageAnswerer = (*Device)(nil)

// answer is how the site answered when it was asked for a page.
type answer struct {
	status  int
	address string
}

// PageAnswer returns the response of the open page; 0 for one that came from no server, or with a site that it has
// left since.
func (d *Device) PageAnswer() (status int, address string) {
	s, page, err := d.page()
	if err != nil {
		return 0, ""
	}
	s.mu.Lock()
	a := s.answers[page]
	s.mu.Unlock()
	if !sameSite(a.address, page.URL()) {
		return 0, ""
	}
	return a.status, a.address
}

// answered keeps the answer to a request for a page as a whole.
func (s *session) answered(r playwright.Response) {
	if !r.Request().IsNavigationRequest() {
		return
	}
	frame := r.Frame()
	if frame == nil || frame.ParentFrame() != nil {
		return
	}
	if r.Status() < 300 || r.Status() >= 400 { // another address follows
		s.device.events.add(pageEvent{kind: drivers.TabWentTo, page: frame.Page(), status: r.Status()})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers == nil {
		s.answers = map[playwright.Page]answer{}
	}
	s.answers[frame.Page()] = answer{r.Status(), r.URL()}
}

func sameSite(a, b string) bool {
	x, err := url.Parse(a)
	if err != nil {
		return false
	}
	y, err := url.Parse(b)
	return err == nil && x.Scheme == y.Scheme && x.Host == y.Host
}
