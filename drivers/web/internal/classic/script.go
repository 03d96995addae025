package classic

import (
	"context"
	"encoding/json"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// Evaluator is an Instance that runs scripts while requests wait for decisions.
type Evaluator interface {
	// Evaluate runs the body of a function in a window, and returns its value as JSON; a promise is waited for. The errors
	// are those of WebDriver.
	Evaluate(ctx context.Context, window, script string, args []any) (json.RawMessage, error)
}

// dialogPoll is the time between two looks whether a script has opened a dialog.
const dialogPoll = 20 * time.Millisecond

// script runs the body of a function in the chosen window or frame, and decodes its value.
//
// While requests wait for decisions, it is not a command of WebDriver: drivers carry out one command after the other,
// decisions among them, and browsers run no script in a page that is about to be replaced, so that a script and the
// request of the next page would wait for each other. Frames are an exception: they have no handles.
func (c *Context) script(ctx context.Context, script string, args []any, into any, limit time.Duration) error {
	by, is := c.opened.(Evaluator)
	if !is || !c.intercepts() || c.framed {
		return c.session.Execute(ctx, script, args, into, limit)
	}
	if c.prompted(c.window) {
		return &webdriver.Error{Code: webdriver.AlertOpen, Command: "script"}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type outcome struct {
		value json.RawMessage
		err   error
	}
	done := make(chan outcome, 1)
	window := c.window
	go func() {
		value, err := by.Evaluate(ctx, window, script, args)
		done <- outcome{value, err}
	}()
	ticker := time.NewTicker(dialogPoll)
	defer ticker.Stop()
	for {
		select {
		case o := <-done:
			if o.err != nil || into == nil || len(o.value) == 0 {
				return o.err
			}
			if json.Unmarshal(o.value, into) != nil {
				return errMangled
			}
			return nil
		case <-ticker.C:
		}
		if c.prompted(window) { // the script waits until it is answered
			if err := c.meet(ctx); err != nil {
				return err
			}
		}
	}
}
