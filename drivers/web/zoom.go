package web

import (
	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/dom"
)

// zoom queries the page's zoom where it may have one.
func (s *session) zoom(page playwright.Page) (dom.Zoom, error) {
	if !s.mobile {
		return dom.Zoom{}, nil
	}
	var answer struct{ Zoom dom.Zoom }
	err := ask(page, nil, "zoom", &answer)
	return answer.Zoom, err
}
