package browser

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
	"github.com/taproot-dev/taproot/drivers/web/internal/webkit"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

// findWebKit finds the programs that WebKit consists of here.
func findWebKit(l *Launcher) (p webkit.Programs, err error) {
	for _, tool := range []struct {
		name string
		into *string
	}{
		{toolchain.MiniBrowser, &p.Browser}, {toolchain.WebKitDriver, &p.Driver}, {toolchain.Xvfb, &p.Display},
	} {
		found, err := toolchain.Find(context.Background(), l.host, tool.name)
		switch {
		case err != nil:
			return p, fmt.Errorf("look for WebKit: %w", err)
		case found.NotHere:
			return p, &drivers.Unavailable{What: "WebKit can be driven on Linux only", Fix: "use Chromium or Firefox here"}
		case !found.OK():
			return p, &drivers.Unavailable{What: fmt.Sprintf("%s of WebKit was not found", tool.name), Fix: found.Advice}
		}
		*tool.into = found.Path
		p.FFmpeg = l.Setup.FFmpeg
		p.Version = cmp.Or(p.Version, found.Version)
	}
	return p, nil
}

// launchWebKit prepares WebKit, which starts with each page.
func launchWebKit(l *Launcher) (playwright.Browser, error) {
	if p := l.opts.Policy; p != nil && !p.IsOpen() || l.opts.Restricted() {
		return nil, fmt.Errorf("%w: WebKit cannot be used here: what it reaches cannot be limited", drivers.ErrUnsupported)
	}
	p, err := findWebKit(l)
	if err != nil {
		return nil, err
	}
	b, err := classic.Launch(webkit.New(p), l.scripts())
	if err != nil {
		return nil, &drivers.NotStarted{Program: dsl.BrowserTitle(dsl.WebKit), Path: p.Browser, Said: err.Error()}
	}
	return b, nil
}

// scripts are those that pages get which Playwright does not drive.
func (l *Launcher) scripts() classic.Scripts {
	return classic.Scripts{Playwright: l.Setup.Driver, Engine: strings.TrimSpace(dom.Engine()),
		Typing: strings.TrimSpace(dom.Assemble(typingEngine))}
}
