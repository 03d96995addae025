package web

import (
	"net/url"
	"sync"

	"github.com/playwright-community/playwright-go"
)

// answer is how the site answered when it was asked for a page.
type answer struct {
	status  int
	address string
}

// PageAnswer returns the response of the open page; 0 for one that came from no server, or with a site that it has
// left since.
func (n *Navigator) PageAnswer() (status int, address string) {
	s, page, err := n.slot.page()
	if err != nil {
		return 0, ""
	}
	a := s.answers.of(page)
	if !sameSite(a.address, page.URL()) {
		return 0, ""
	}
	return a.status, a.address
}

// Answers are the answers to the requests for the pages of a session themselves, the newest of each. The zero value is
// ready.
type Answers struct {
	mu      sync.Mutex
	answers map[playwright.Page]answer
}

func (a *Answers) of(page playwright.Page) answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.answers[page]
}

// answered keeps the answer to a request for a page as a whole, and returns that page; nil for any other answer.
func (a *Answers) answered(r playwright.Response) playwright.Page {
	if !r.Request().IsNavigationRequest() {
		return nil
	}
	frame := r.Frame()
	if frame == nil || frame.ParentFrame() != nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.answers == nil {
		a.answers = map[playwright.Page]answer{}
	}
	a.answers[frame.Page()] = answer{r.Status(), r.URL()}
	return frame.Page()
}

func sameSite(a, b string) bool {
	x, err := url.Parse(a)
	if err != nil {
		return false
	}
	y, err := url.Parse(b)
	return err == nil && x.Scheme == y.Scheme && x.Host == y.Host
}
