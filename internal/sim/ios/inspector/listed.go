package inspector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Listed is a page as the daemon lists it.
type Listed struct {
	PID, Page          int
	Bundle, Title, URL string
}

// Listed are the pages that can be inspected.
func (i *Daemon) Listed() (list []Listed) {
	i.mu.Lock()
	var open []*webPage
	for w := range i.pages {
		if !w.app.how().Shut {
			open = append(open, w)
		}
	}
	i.mu.Unlock()
	for _, w := range open {
		for _, entry := range i.listing(w) {
			about, _ := entry.(map[string]any)
			if about["WIRTypeKey"] != "WIRTypeWebPage" {
				continue
			}
			id, _ := about["WIRPageIdentifierKey"].(int)
			list = append(list, Listed{PID: w.pid, Page: id, Bundle: w.app.bundle, Title: fmt.Sprint(about["WIRTitleKey"]),
				URL: fmt.Sprint(about["WIRURLKey"])})
		}
	}
	slices.SortFunc(list, func(a, b Listed) int { return a.Page - b.Page })
	return list
}

// Thrown is the error of an expression.
type Thrown string

func (t Thrown) Error() string { return string(t) }

// Evaluate runs an expression in a page, and returns its value. One that is asleep, silent or of another client does
// not respond until ctx ends.
func (i *Daemon) Evaluate(ctx context.Context, pid, page int, expression string) (json.RawMessage, error) {
	w := i.page(fmt.Sprintf("PID:%d", pid))
	if w == nil {
		return nil, errors.New("the app has ended")
	}
	config := w.app.how()
	silent := config.Silent || config.Taken ||
		config.SecondSilent && page <= len(w.tabs) && page > 0 && w.tabs[page-1] == w.second
	if page < 1 || page > len(w.tabs) || silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	var got struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	if err := w.tabs[page-1].ask(ctx, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true},
		&got); err != nil {
		return nil, err
	}
	if got.Exception != nil {
		line, _, _ := strings.Cut(got.Exception.Exception.Description, "\n")
		return nil, Thrown(line)
	}
	return got.Result.Value, nil
}
