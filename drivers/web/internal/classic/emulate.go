package classic

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/playwright-community/playwright-go"
)

// offlineScript makes a document believe that it is cut off from the network, or connected again.
const offlineScript = `offline => {
	Object.defineProperty(Navigator.prototype, 'onLine', {get: () => !offline, configurable: true, enumerable: true});
	dispatchEvent(new Event(offline ? 'offline' : 'online'));
}`

func (c *network) isOffline() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offline
}

// SetOffline has all requests fail, or go out again.
func (c *network) SetOffline(on bool) error {
	if _, is := c.context.opened.(Emulator); is {
		return c.context.setOffline(on)
	}
	if on == c.isOffline() {
		return nil
	}
	if err := c.stopAll(func() { c.offline = on }); err != nil {
		return err
	}
	return c.context.everywhere(offlineScript, on)
}

// everywhere calls a function in all documents that are open, and at the start of each that comes.
func (c *Context) everywhere(function string, argument bool) error {
	script := c.scriptOf()
	for _, p := range c.openPages() {
		ctx, cancel := context.WithTimeout(c.life, callLimit)
		err := p.wire().Script(ctx, script)
		cancel()
		if err != nil && !p.IsClosed() {
			return err
		}
		frames := []playwright.Frame{p.main}
		for len(frames) > 0 {
			frame := frames[0]
			frames = append(frames[1:], frame.ChildFrames()...)
			if _, err := frame.Evaluate(function, argument); err != nil && len(frame.(*Frame).path) == 0 && !p.IsClosed() {
				return err
			}
		}
	}
	return nil
}

func (c *Context) openPages() []*Page {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*Page{}, c.pages...)
}

// EmulateMedia sets the colour scheme of the page.
func (t *Traffic) EmulateMedia(options ...playwright.PageEmulateMediaOptions) error {
	p := t.page
	wire := p.wire()
	if wire == nil {
		return p.context.refused("change of its colours")
	}
	if len(options) == 0 || options[0].ColorScheme == nil {
		return nil
	}
	scheme := "Light"
	if *options[0].ColorScheme == *playwright.ColorSchemeDark {
		scheme = "Dark"
	}
	return p.context.do(p, callLimit, func(ctx context.Context) error { return wire.Prefer(ctx, scheme) })
}

// Video is the recording of all pages of the context, which counts as that of the first.
func (t *Traffic) Video() playwright.Video { return video{page: t.page} }

type video struct {
	playwright.Video
	page *Page
}

// Path returns where the recording is.
func (v video) Path() (string, error) {
	recorder, is := v.page.context.opened.(Recorder)
	if !is || recorder.Recording() == "" || v.page.number > 1 {
		return "", v.page.context.refused("recording of this page")
	}
	return recorder.Recording(), nil
}

// Delete does nothing: the other pages are in it, too.
func (v video) Delete() error { return nil }

// attachment is what a new window is attached with.
func (c *Context) attachment(p *Page, number int) Attachment {
	a := Attachment{Page: p, Number: number, Name: c.name, Script: c.scriptOf(), Life: c.life}
	c.network.mu.Lock()
	defer c.network.mu.Unlock()
	a.Headers, a.Stops = maps.Clone(c.headers), c.stops
	return a
}

// scriptOf returns what runs in each document before the page's own scripts.
func (c *Context) scriptOf() string {
	c.mu.Lock()
	scripts := c.init
	c.mu.Unlock()
	if c.isOffline() {
		scripts = append(slices.Clone(scripts), "("+offlineScript+")(true)")
	}
	return strings.Join(scripts, ";\n")
}
