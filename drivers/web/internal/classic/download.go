package classic

import (
	"context"
	"io"
	"os"

	"github.com/playwright-community/playwright-go"
)

// Offer is a file that a page offers.
type Offer struct {
	Name string // that the page suggests
	// Done is closed when Result is known: where the file is, or why there is none.
	Done   <-chan struct{}
	Result func() (path string, err error)
}

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
	if page == nil {
		return
	}
	page.events.mu.Lock()
	handlers := append([]func(playwright.Download){}, page.events.onDownload...)
	page.events.mu.Unlock()
	file := &Download{offer: o, life: c.life, cancelled: make(chan struct{}, 1)}
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

// URL is the name of the file: where it comes from is not reported.
func (d *Download) URL() string { return d.offer.Name }

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
	from, err := d.offer.Result()
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
