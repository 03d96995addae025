package browser

import (
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

// webkitTools are the programs that WebKit consists of here.
func webkitTools() []string {
	return []string{toolchain.MiniBrowser, toolchain.WebKitDriver, toolchain.Xvfb}
}

// webkitProgram finds MiniBrowser, and what it needs.
func webkitProgram(l *Launcher, _ browserKind) (string, error) {
	var path string
	for i, name := range webkitTools() {
		found, err := toolchain.Find(context.Background(), l.host, name)
		switch {
		case err != nil:
			return "", fmt.Errorf("look for WebKit: %w", err)
		case found.NotHere:
			return "", &drivers.Unavailable{What: "WebKit can be driven on Linux only", Fix: "use Chromium or Firefox here"}
		case !found.OK():
			return "", &drivers.Unavailable{What: fmt.Sprintf("%s of WebKit was not found", name), Fix: found.Advice}
		case i == 0:
			path = found.Path
		}
	}
	return path, nil
}

// launchWebKit prepares WebKit, which starts with each page.
func launchWebKit(l *Launcher, program string) (playwright.Browser, error) {
	if p := l.opts.Policy; p != nil && !p.IsOpen() || l.opts.Restricted() {
		return nil, fmt.Errorf("%w: WebKit cannot be used here: what it reaches cannot be limited", drivers.ErrUnsupported)
	}
	p := webkit.Programs{Browser: program}
	for _, name := range webkitTools() {
		found, err := toolchain.Find(context.Background(), l.host, name)
		if err != nil {
			return nil, fmt.Errorf("look for WebKit: %w", err)
		}
		switch name {
		case toolchain.WebKitDriver:
			p.Driver, p.Version = found.Path, found.Version
		case toolchain.Xvfb:
			p.Display = found.Path
		}
	}
	b, err := classic.Launch(p, l.scripts())
	if err != nil {
		return nil, &drivers.NotStarted{Program: dsl.BrowserTitle(dsl.WebKit), Path: program, Said: err.Error()}
	}
	return b, nil
}

// scripts are those that pages get which Playwright does not drive.
func (l *Launcher) scripts() classic.Scripts {
	return classic.Scripts{Playwright: l.Setup.Driver, Engine: strings.TrimSpace(dom.Engine()),
		Typing: strings.TrimSpace(dom.Assemble(typingEngine))}
}
