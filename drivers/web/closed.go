package web

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/playwright-community/playwright-go"
)

// maxSuspects caps the elements for which the browser is queried in one read; the others' turn comes with the next.
const maxSuspects = 60

// utilityWorld is the prefix of the name of the world in which Playwright runs our engine.
const utilityWorld = "__playwright_utility_world"

// probe queries the browser for what a page hides of the elements that the engine has in taprootSuspects: closed
// shadow roots, and roles, names and states that are set by ElementInternals. It reports whether there is any, so that
// the page is to be read again.
func probe(s *session, page playwright.Page) bool {
	if !s.browser.brand.devtools {
		return false
	}
	p := s.clients.devtoolsOf(page)
	if p == nil {
		return false
	}
	if _, err := p.cdp.Send("Accessibility.enable", map[string]any{}); err != nil {
		return false
	}
	found := false
	for _, world := range p.worlds() {
		found = askWorld(p, world) || found
	}
	_, _ = p.cdp.Send("Accessibility.disable", map[string]any{}) // it ends with the page otherwise
	return found
}

// devtoolsClient speaks the browser's own protocol with one page.
type devtoolsClient struct {
	cdp playwright.CDPSession

	mu   sync.Mutex
	list map[int]bool // the numbers of the engine's worlds, one for each document
}

// Clients are the clients of DevTools of a session's pages.
type Clients struct {
	context playwright.BrowserContext

	mu       sync.Mutex
	devtools map[playwright.Page]*devtoolsClient
	ended    map[playwright.Page]bool
}

// forget lets the client of a closed page go.
func (c *Clients) forget(page playwright.Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended[page] = true
	delete(c.devtools, page)
}

// devtoolsOf returns the client of DevTools of a page, which lasts as long as the page does: once a session that
// received the worlds of a page has ended, Chromium's headless shell reports none of those that come later, and
// Playwright waits for them for ever. Nil: the page is gone.
func (c *Clients) devtoolsOf(page playwright.Page) *devtoolsClient {
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
	p = &devtoolsClient{cdp: cdp, list: map[int]bool{}}
	p.follow()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended[page] {
		c.devtools[page] = p
	}
	return p
}

// send makes a call; a call that fails returns nothing: its element has gone, or its page.
func (p *devtoolsClient) send(method string, params map[string]any, into any) bool {
	answer, err := p.cdp.Send(method, params)
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
func (p *devtoolsClient) follow() {
	p.cdp.On("Runtime.executionContextCreated", func(event any) {
		var created struct {
			Context struct {
				ID   int
				Name string
			}
		}
		if decoded(event, &created) && strings.HasPrefix(created.Context.Name, utilityWorld) {
			p.change(func() { p.list[created.Context.ID] = true })
		}
	})
	p.cdp.On("Runtime.executionContextDestroyed", func(event any) {
		var destroyed struct{ ExecutionContextID int }
		if decoded(event, &destroyed) {
			p.change(func() { delete(p.list, destroyed.ExecutionContextID) })
		}
	})
	p.cdp.On("Runtime.executionContextsCleared", func(any) { p.change(func() { clear(p.list) }) })
	var nothing any
	p.send("Runtime.enable", map[string]any{}, &nothing)
}

func (p *devtoolsClient) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

func (p *devtoolsClient) worlds() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.list))
}

// object is a value in the page.
type object struct {
	Type     string
	ObjectID string
}

// probesAtOnce is how many questions about elements are under way together: each is a way to the browser and back.
const probesAtOnce = 16

// askWorld finds out about the elements that one document suspects. Those of which something is known already keep no shadow
// root from it.
func askWorld(p *devtoolsClient, world int) bool {
	var found atomic.Bool
	var all sync.WaitGroup
	turns := make(chan struct{}, probesAtOnce)
	each := func(list string, about func(element string) bool) {
		for _, element := range p.elements(world, list) {
			turns <- struct{}{}
			all.Go(func() {
				defer func() { <-turns }()
				if about(element) {
					found.Store(true)
				}
			})
		}
	}
	each("taprootAXElements", func(element string) bool { return hearAX(p, element) })
	each("taprootSuspects()", func(element string) bool {
		closed, custom := openRoot(p, world, element)
		told := custom && hearAX(p, element) // other elements have no ElementInternals
		return closed || told
	})
	all.Wait()
	return found.Load()
}

// elements returns those of a list that the engine keeps under a name.
func (p *devtoolsClient) elements(world int, name string) (ids []string) {
	var list struct{ Result object }
	if !p.send("Runtime.evaluate", map[string]any{"expression": "globalThis." + name, "contextId": world}, &list) ||
		list.Result.ObjectID == "" {
		return nil
	}
	return p.items(list.Result.ObjectID)
}

// items returns the objects that are in a list in the page.
func (p *devtoolsClient) items(list string) (ids []string) {
	var properties struct {
		Result []struct {
			Name  string
			Value object
		}
	}
	p.send("Runtime.getProperties", map[string]any{"objectId": list, "ownProperties": true}, &properties)
	for _, property := range properties.Result {
		if n, err := strconv.Atoi(property.Name); err == nil && n < maxSuspects && property.Value.ObjectID != "" {
			ids = append(ids, property.Value.ObjectID)
		}
	}
	return ids
}

// openRoot passes a closed shadow root of host to the engine, and reports whether host is a custom element.
func openRoot(p *devtoolsClient, world int, host string) (closed, custom bool) {
	var about struct {
		Node struct {
			LocalName   string
			ShadowRoots []struct {
				BackendNodeID  int
				ShadowRootType string
			}
		}
	}
	p.send("DOM.describeNode", map[string]any{"objectId": host, "depth": 0}, &about)
	custom = strings.Contains(about.Node.LocalName, "-")
	for _, root := range about.Node.ShadowRoots {
		if root.ShadowRootType != "closed" {
			continue
		}
		var resolved struct{ Object object }
		if !p.send("DOM.resolveNode", map[string]any{"backendNodeId": root.BackendNodeID, "executionContextId": world},
			&resolved) {
			continue
		}
		return p.call(resolved.Object.ObjectID, "function(host) { taprootRoots.set(host, this); }",
			map[string]any{"objectId": host}), custom
	}
	return false, custom
}

// hearAX passes to the engine what assistive technology receives of an element of the page's own making.
func hearAX(p *devtoolsClient, element string) bool {
	type value struct{ Value any }
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name value
			Properties []struct {
				Name  string
				Value value
			}
		}
	}
	p.send("Accessibility.getPartialAXTree", map[string]any{"objectId": element, "fetchRelatives": false}, &tree)
	if len(tree.Nodes) == 0 || tree.Nodes[0].Ignored {
		return false
	}
	said := map[string]any{"role": tree.Nodes[0].Role.Value, "name": tree.Nodes[0].Name.Value}
	for _, property := range tree.Nodes[0].Properties {
		said[property.Name] = property.Value.Value
	}
	return p.call(element, "function(info) { return taprootSetAXInfo(this, info); }", map[string]any{"value": said})
}

// call runs a function in the engine's world; a function that returns false has changed nothing.
func (p *devtoolsClient) call(on, function string, argument map[string]any) bool {
	var answer struct {
		Result struct {
			Value any
		}
	}
	ok := p.send("Runtime.callFunctionOn", map[string]any{"objectId": on, "functionDeclaration": function,
		"arguments":     []any{argument},
		"returnByValue": true}, &answer)
	return ok && answer.Result.Value != false
}
