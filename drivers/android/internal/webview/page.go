package webview

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const pageWorld = "taproot" // where the script runs: a page sees nothing of it

// Target is a page as the DevTools of a WebView list it.
type Target struct {
	Description string // of the view, as JSON
	ID          string
	Type        string
	Title       string
	URL         string
}

// view is the place of a target's view, in pixels of the screen, whatever clips it.
type view struct {
	Attached, Visible, Empty        bool
	ScreenX, ScreenY, Width, Height int
}

// pageConn is a page of a WebView that is read through DevTools.
type pageConn struct {
	conn   Conn
	ctx    context.Context // of the reading that continues
	worlds map[string]int  // the script's contexts, by the way to their frame
	place  OnPage          // when it was read last
}

// ProtocolError is DevTools' refusal of a command.
type ProtocolError struct {
	Method  string `json:"-"`
	Message string `json:"message"`
}

func (e *ProtocolError) Error() string { return e.Method + ": " + phrase.LimitBytes(e.Message, 200) }

func (p *pageConn) call(method string, params, into any) error {
	return p.conn.Call(p.ctx, method, params, into)
}

// remote is a value of the page.
type remote struct {
	Result struct {
		Value    *string
		ObjectID string `json:"objectId"`
	}
	ExceptionDetails *struct {
		Text      string
		Exception struct{ Description string }
	}
}

// evaluate runs an expression in the script's world of a frame, and has it answered as a text or as a handle.
func (p *pageConn) evaluate(world int, expression string, handle bool) (*remote, error) {
	var r remote
	err := p.call("Runtime.evaluate", map[string]any{"expression": expression, "contextId": world,
		"returnByValue": !handle}, &r)
	if err != nil {
		return nil, err
	}
	if e := r.ExceptionDetails; e != nil {
		return nil, errors.New(phrase.LimitBytes(adb.FirstLine(e.Text+": "+e.Exception.Description), 200))
	}
	return &r, nil
}

var _ dom.Asker = (*pageConn)(nil)

// Ask calls the script in a frame. A document that is another one by now gets the script again, once.
func (p *pageConn) Ask(chain []string, command string, into any) error {
	for first := true; ; first = false {
		err := p.askOnce(chain, command, into)
		if refused := new(ProtocolError); !first || !errors.As(err, &refused) ||
			!strings.Contains(refused.Message, "context") {
			return err
		}
		clear(p.worlds)
	}
}

func (p *pageConn) askOnce(chain []string, command string, into any) error {
	if err := p.conn.Ready(p.ctx); err != nil {
		return err
	}
	world, err := p.world(chain)
	if err != nil {
		return err
	}
	r, err := p.evaluate(world, query(command)+".textContent", false)
	if err != nil {
		return err
	}
	if r.Result.Value == nil {
		return errors.New("the page returned no text")
	}
	return json.Unmarshal([]byte(*r.Result.Value), into)
}

// query is the expression of the script's answer to a command.
func query(command string) string {
	text, _ := json.Marshal(command) // of a string it cannot fail
	return "taprootEngine.query(document, " + string(text) + ")"
}

// world returns the context of the script in the frame that chain leads to.
func (p *pageConn) world(chain []string) (int, error) {
	key := strings.Join(chain, "/")
	if known, ok := p.worlds[key]; ok {
		return known, nil
	}
	frame, err := p.frame(chain)
	if err != nil {
		return 0, err
	}
	var made struct {
		ID int `json:"executionContextId"`
	}
	if err := p.call("Page.createIsolatedWorld", map[string]any{"frameId": frame, "worldName": pageWorld},
		&made); err != nil {
		return 0, err
	}
	if _, err := p.evaluate(made.ID, "void (globalThis.taprootEngine ??= "+dom.Engine()+")", true); err != nil {
		return 0, err
	}
	p.worlds[key] = made.ID
	return made.ID, nil
}

// frame returns the id of the frame that chain leads to.
func (p *pageConn) frame(chain []string) (string, error) {
	if len(chain) == 0 {
		var tree struct {
			FrameTree struct{ Frame struct{ ID string } }
		}
		err := p.call("Page.getFrameTree", struct{}{}, &tree)
		return tree.FrameTree.Frame.ID, err
	}
	last := len(chain) - 1
	around, err := p.world(chain[:last])
	if err != nil {
		return "", err
	}
	element, err := p.evaluate(around, query(chain[last]), true)
	if err != nil {
		return "", err
	}
	var described struct {
		Node struct {
			FrameID string `json:"frameId"`
		}
	}
	if err := p.call("DOM.describeNode", map[string]any{"objectId": element.Result.ObjectID}, &described); err != nil {
		return "", err
	}
	if described.Node.FrameID == "" {
		return "", errors.New("it is not a frame any more")
	}
	return described.Node.FrameID, nil
}
