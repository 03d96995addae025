package read

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// probe queries the browser for what a page hides of the elements that the engine has in taprootSuspects: closed
// shadow roots, and roles, names and states that are set by ElementInternals. It reports whether there is any, so that
// the page is to be read again.
func probe(s *pages.BrowserContext, page playwright.Page) bool {
	if !s.Browser.Brand.Devtools {
		return false
	}
	p := s.Clients.DevtoolsOf(page)
	if p == nil {
		return false
	}
	if _, err := p.Cdp.Send("Accessibility.enable", map[string]any{}); err != nil {
		return false
	}
	found := false
	for _, world := range p.Worlds() {
		found = askWorld(p, world) || found
	}
	_, _ = p.Cdp.Send("Accessibility.disable", map[string]any{}) // it ends with the page otherwise
	return found
}

// probesAtOnce is how many questions about elements are under way together: each is a way to the browser and back.
const probesAtOnce = 16

// askWorld finds out about the elements that one document suspects. Those of which something is known already keep no
// shadow root from it.
func askWorld(p *pages.DevtoolsClient, world int) bool {
	var found atomic.Bool
	var all sync.WaitGroup
	turns := make(chan struct{}, probesAtOnce)
	each := func(list string, about func(element string) bool) {
		for _, element := range p.Elements(world, list) {
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

// openRoot passes a closed shadow root of host to the engine, and reports whether host is a custom element.
func openRoot(p *pages.DevtoolsClient, world int, host string) (closed, custom bool) {
	var about struct {
		Node struct {
			LocalName   string
			ShadowRoots []struct {
				BackendNodeID  int
				ShadowRootType string
			}
		}
	}
	p.Send("DOM.describeNode", map[string]any{"objectId": host, "depth": 0}, &about)
	custom = strings.Contains(about.Node.LocalName, "-")
	for _, root := range about.Node.ShadowRoots {
		if root.ShadowRootType != "closed" {
			continue
		}
		var resolved struct{ Object pages.Object }
		if !p.Send("DOM.resolveNode", map[string]any{"backendNodeId": root.BackendNodeID, "executionContextId": world},
			&resolved) {
			continue
		}
		return p.Call(resolved.Object.ObjectID, "function(host) { taprootRoots.set(host, this); }",
			map[string]any{"objectId": host}), custom
	}
	return false, custom
}

// hearAX passes to the engine what assistive technology receives of an element of the page's own making.
func hearAX(p *pages.DevtoolsClient, element string) bool {
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
	p.Send("Accessibility.getPartialAXTree", map[string]any{"objectId": element, "fetchRelatives": false}, &tree)
	if len(tree.Nodes) == 0 || tree.Nodes[0].Ignored {
		return false
	}
	said := map[string]any{"role": tree.Nodes[0].Role.Value, "name": tree.Nodes[0].Name.Value}
	for _, property := range tree.Nodes[0].Properties {
		said[property.Name] = property.Value.Value
	}
	return p.Call(element, "function(info) { return taprootSetAXInfo(this, info); }", map[string]any{"value": said})
}
