package classic

import (
	"cmp"
	"context"
	"io"
	"os"
	"slices"
	"time"

	"github.com/playwright-community/playwright-go"
)

// Offer is a file that a page offers.
type Offer struct {
	URL  string // "": the browser does not report it
	Name string // that the page suggests
	// Done is closed when Result can be called: where the file is on this machine, or why there is none.
	Done   <-chan struct{}
	Result func(ctx context.Context) (path string, err error)
}

// takeLimit is how long a file may take from another machine to this one.
const takeLimit = 5 * time.Minute

// Downloader is an Instance that reports the files that its pages offer.
type Downloader interface {
	// Downloads reports each one when it starts, until life ends.
	Downloads(life context.Context, report func(Offer))
}

// offered reports a file to the page that was used last: the browser does not report which one has offered it.
func (c *Context) offered(o Offer) {
	c.mu.Lock()
	page := c.used
	c.mu.Unlock()
	if page != nil {
		page.Offered(o)
	}
}

// OnDownload calls f for each file that the page offers; where the browser does not report which page has, for each
// one that is offered while the page is the one that is used.
func (p *events) OnDownload(f func(playwright.Download)) { register(&p.mu, &p.onDownload, f) }

// Offered reports a file that the page offers.
func (p *events) Offered(o Offer) {
	p.mu.Lock()
	handlers := slices.Clone(p.onDownload)
	p.mu.Unlock()
	file := &Download{offer: o, life: p.page.context.life, cancelled: make(chan struct{}, 1)}
	for _, f := range handlers {
		f(file)
	}
}

// Download is a file that a page offers.
type Download struct {
	playwright.Download
	offer     Offer
	life      context.Context
	cancelled chan struct{}
}

// URL is where the file comes from, or else its name.
func (d *Download) URL() string { return cmp.Or(d.offer.URL, d.offer.Name) }

// SuggestedFilename is the name that the page suggests.
func (d *Download) SuggestedFilename() string { return d.offer.Name }

// SaveAs waits until the file is whole, and copies it.
func (d *Download) SaveAs(path string) (err error) {
	select {
	case <-d.offer.Done:
	case <-d.cancelled:
		return targetClosed("the download was given up")
	case <-d.life.Done():
		return targetClosed("the context has been closed")
	}
	ctx, cancel := context.WithTimeout(d.life, takeLimit)
	defer cancel()
	from, err := d.offer.Result(ctx)
	if err != nil {
		return err
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, source)
	if closing := to.Close(); err == nil {
		err = closing
	}
	return err
}

// Cancel ends the wait for the file. The browser continues to write it, into a folder that ends with it.
func (d *Download) Cancel() error {
	select {
	case d.cancelled <- struct{}{}:
	default:
	}
	return nil
}
