package classic

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// button is the number of a button of the mouse.
func (b *Browser) button(name *playwright.MouseButton) (int, error) {
	switch {
	case name == nil || *name == *playwright.MouseButtonLeft:
		return webdriver.Left, nil
	case b.traits.LeftButton:
		return 0, fmt.Errorf("%w: %s has the left button of the mouse only", drivers.ErrUnsupported, b.traits.Name)
	case *name == *playwright.MouseButtonRight:
		return webdriver.Right, nil
	}
	return webdriver.Middle, nil
}

// Keyboard presses keys of the American keyboard, and puts in what that does not have.
type Keyboard struct {
	playwright.Keyboard
	page *Page
}

func (k *Keyboard) send(actions ...webdriver.Action) error {
	c := k.page.context
	return c.do(k.page, callLimit, func(ctx context.Context) error {
		if err := c.command(ctx, func() error { return c.session.Keys(ctx, actions...) }); err != nil {
			return err
		}
		return c.settle(ctx)
	})
}

func (k *Keyboard) keyOf(name string) (string, error) {
	if key := webdriver.Key(name); key != "" {
		return key, nil
	}
	return "", fmt.Errorf("%w: %s has no key %q", drivers.ErrUnsupported, k.page.context.browser.traits.Name, name)
}

// Down presses a key and holds it.
func (k *Keyboard) Down(name string) error {
	key, err := k.keyOf(name)
	if err != nil {
		return err
	}
	return k.send(webdriver.KeyDown(key))
}

// Up releases a key.
func (k *Keyboard) Up(name string) error {
	key, err := k.keyOf(name)
	if err != nil {
		return err
	}
	return k.send(webdriver.KeyUp(key))
}

// Press presses keys together: "Control+a".
func (k *Keyboard) Press(name string, _ ...playwright.KeyboardPressOptions) error {
	parts := strings.Split(name, "+")
	if rest, plus := strings.CutSuffix(name, "++"); plus {
		parts = append(strings.Split(rest, "+"), "+")
	} else if name == "+" {
		parts = []string{"+"}
	}
	var down, up []webdriver.Action
	shift := false
	for i, part := range parts {
		key, err := k.keyOf(part)
		if err != nil {
			return err
		}
		if shift && i == len(parts)-1 && len([]rune(key)) == 1 && key < "\ue000" {
			key = webdriver.Shifted(key)
		}
		shift = shift || part == "Shift"
		down = append(down, webdriver.KeyDown(key))
		up = append([]webdriver.Action{webdriver.KeyUp(key)}, up...)
	}
	return k.send(append(down, up...)...)
}

// Type presses the keys of a text that are pressed alike: Shift is held by the caller. A new line is the Enter key.
func (k *Keyboard) Type(text string, _ ...playwright.KeyboardTypeOptions) error {
	var actions []webdriver.Action
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		key := string(r)
		if r == '\n' || r == '\r' {
			key = webdriver.Key("Enter")
		}
		actions = append(actions, webdriver.KeyDown(key), webdriver.KeyUp(key))
	}
	return k.send(actions...)
}

// InsertText puts a text in the place of what is selected, without a key.
func (k *Keyboard) InsertText(text string) error {
	c := k.page.context
	return c.do(k.page, callLimit, func(ctx context.Context) error {
		for range dom.MaxDepth {
			var r reply
			if err := k.page.ask(ctx, "insert", text, &r); err != nil {
				return err
			}
			if r.R == "done" {
				return c.settle(ctx)
			}
			if err := enterFound(ctx, k.page, r.Place); err != nil {
				return err
			}
		}
		return errors.New("the focus is in too many frames")
	})
}

// Mouse is the mouse of the browser, with its left button.
type Mouse struct {
	playwright.Mouse
	page *Page
}

func (m *Mouse) send(actions ...webdriver.Action) error {
	c := m.page.context
	return c.do(m.page, callLimit, func(ctx context.Context) error {
		if err := c.command(ctx, func() error { return c.session.Mouse(ctx, actions...) }); err != nil {
			return err
		}
		return c.settle(ctx)
	})
}

// Move moves the mouse.
func (m *Mouse) Move(x, y float64, _ ...playwright.MouseMoveOptions) error {
	m.page.mu.Lock()
	m.page.mouse = [2]float64{x, y}
	m.page.mu.Unlock()
	return m.send(webdriver.Move(x, y))
}

// Down presses the left button.
func (m *Mouse) Down(...playwright.MouseDownOptions) error {
	return m.send(webdriver.Press(webdriver.Left))
}

// Up releases the left button.
func (m *Mouse) Up(...playwright.MouseUpOptions) error {
	return m.send(webdriver.Release(webdriver.Left))
}

// Click clicks at a place of the page.
func (m *Mouse) Click(x, y float64, options ...playwright.MouseClickOptions) error {
	var o playwright.MouseClickOptions
	if len(options) > 0 {
		o = options[0]
	}
	button, err := m.page.context.browser.button(o.Button)
	if err != nil {
		return err
	}
	count := 1
	if o.ClickCount != nil {
		count = *o.ClickCount
	}
	return m.send(clicks(x, y, button, count)...)
}

// Dblclick clicks twice.
func (m *Mouse) Dblclick(x, y float64, _ ...playwright.MouseDblclickOptions) error {
	return m.send(clicks(x, y, webdriver.Left, 2)...)
}

// Wheel turns the wheel where the mouse was moved to last.
func (m *Mouse) Wheel(dx, dy float64) error {
	m.page.mu.Lock()
	at := m.page.mouse
	m.page.mu.Unlock()
	c := m.page.context
	return c.do(m.page, callLimit, func(ctx context.Context) error {
		if err := c.command(ctx, func() error { return c.session.Wheel(ctx, at[0], at[1], dx, dy) }); err != nil {
			return err
		}
		return c.settle(ctx)
	})
}
