package pages

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/playwright-community/playwright-go"
)

// maxSuspects caps the elements for which the browser is queried in one read; the others' turn comes with the next.
const maxSuspects = 60

// UtilityWorld is the prefix of the name of the world in which Playwright runs our engine.
const UtilityWorld = "__playwright_utility_world"

// DevtoolsClient speaks the browser's own protocol with one page.
type DevtoolsClient struct {
	Cdp playwright.CDPSession

	mu   sync.Mutex
	list map[int]bool // the numbers of the engine's worlds, one for each document
}

// Clients are the clients of DevTools of a session's pages.
type Clients struct {
	context playwright.BrowserContext

	mu       sync.Mutex
	devtools map[playwright.Page]*DevtoolsClient
	ended    map[playwright.Page]bool
}

// forget lets the client of a closed page go.
func (c *Clients) forget(page playwright.Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended[page] = true
	delete(c.devtools, page)
}

// DevtoolsOf returns the client of DevTools of a page, which lasts as long as the page does: once a session that
// received the worlds of a page has ended, Chromium's headless shell reports none of those that come later, and
// Playwright waits for them for ever. Nil: the page is gone.
func (c *Clients) DevtoolsOf(page playwright.Page) *DevtoolsClient {
	c.mu.Lock()
	p := c.devtools[page]
	c.mu.Unlock()
	if p != nil {
		return p
	}
	cdp, err := c.context.NewCDPSession(page)
	if err != nil {
		return nil
	}
	p = &DevtoolsClient{Cdp: cdp, list: map[int]bool{}}
	p.follow()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended[page] {
		c.devtools[page] = p
	}
	return p
}

// Send makes a call; a call that fails returns nothing: its element has gone, or its page.
func (p *DevtoolsClient) Send(method string, params map[string]any, into any) bool {
	answer, err := p.Cdp.Send(method, params)
	if err != nil {
		return false
	}
	return decoded(answer, into)
}

func decoded(answer, into any) bool {
	text, err := json.Marshal(answer)
	return err == nil && json.Unmarshal(text, into) == nil
}

// follow keeps the list of worlds; those that are there are reported before Runtime.enable returns.
func (p *DevtoolsClient) follow() {
	p.Cdp.On("Runtime.executionContextCreated", func(event any) {
		var created struct {
			Context struct {
				ID   int
				Name string
			}
		}
		if decoded(event, &created) && strings.HasPrefix(created.Context.Name, UtilityWorld) {
			p.change(func() { p.list[created.Context.ID] = true })
		}
	})
	p.Cdp.On("Runtime.executionContextDestroyed", func(event any) {
		var destroyed struct{ ExecutionContextID int }
		if decoded(event, &destroyed) {
			p.change(func() { delete(p.list, destroyed.ExecutionContextID) })
		}
	})
	p.Cdp.On("Runtime.executionContextsCleared", func(any) { p.change(func() { clear(p.list) }) })
	var nothing any
	p.Send("Runtime.enable", map[string]any{}, &nothing)
}

func (p *DevtoolsClient) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

func (p *DevtoolsClient) Worlds() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.list))
}

// Object is a value in the page.
type Object struct {
	Type     string
	ObjectID string
}

// Elements returns those of a list that the engine keeps under a name.
func (p *DevtoolsClient) Elements(world int, name string) (ids []string) {
	var list struct{ Result Object }
	if !p.Send("Runtime.evaluate", map[string]any{"expression": "globalThis." + name, "contextId": world}, &list) ||
		list.Result.ObjectID == "" {
		return nil
	}
	return p.Items(list.Result.ObjectID)
}

// Items returns the objects that are in a list in the page.
func (p *DevtoolsClient) Items(list string) (ids []string) {
	var properties struct {
		Result []struct {
			Name  string
			Value Object
		}
	}
	p.Send("Runtime.getProperties", map[string]any{"objectId": list, "ownProperties": true}, &properties)
	for _, property := range properties.Result {
		if n, err := strconv.Atoi(property.Name); err == nil && n < maxSuspects && property.Value.ObjectID != "" {
			ids = append(ids, property.Value.ObjectID)
		}
	}
	return ids
}

// Call runs a function in the engine's world; a function that returns false has changed nothing.
func (p *DevtoolsClient) Call(on, function string, argument map[string]any) bool {
	var answer struct {
		Result struct {
			Value any
		}
	}
	ok := p.Send("Runtime.callFunctionOn", map[string]any{"objectId": on, "functionDeclaration": function,
		"arguments":     []any{argument},
		"returnByValue": true}, &answer)
	return ok && answer.Result.Value != false
}
