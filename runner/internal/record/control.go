package record

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// The kinds of Control.
const (
	KindSelect = "select"
	KindFiles  = "files"
)

// Control is the element at a place of a page.
type Control struct {
	Kind      string   `json:"kind" enum:"select,files," doc:"select: a list; files: a field for files; empty: something to click."`
	Name      string   `json:"name" doc:"The visible label, next to it or on it."`
	Frame     string   `json:"frame,omitempty" doc:"The frame that it is in, as webSelect and webUpload take it."`
	Selectors []string `json:"selectors" nullable:"false" doc:"For webSelect and webUpload, the best first. Not checked to be unique."`
	Options   []Option `json:"options,omitempty" doc:"Of a list."`
	Multiple  bool     `json:"multiple,omitempty" doc:"Takes several files."`
	Accept    string   `json:"accept,omitempty" doc:"The kinds of files that it accepts."`
}

// Option is an option of a list.
type Option struct {
	Label  string `json:"label"`
	Value  string `json:"value"`
	Index  int    `json:"index"`
	Chosen bool   `json:"chosen,omitempty"`
}

//go:embed control.js
var controlScript string

// queryTimeout limits a query of a page outside of a test.
const queryTimeout = 5 * time.Second

// At returns the control at a place of a page; x and y are fractions of the screen. It returns nil when the device
// shows no page, or when there is no element. It would dismiss an open dialog: see StateOf.
func At(ctx context.Context, d drivers.Device, x, y float64, preferID bool) (*Control, error) {
	page, ok := d.(drivers.WebPages)
	if !ok {
		return nil, nil
	}
	value, err := page.Eval(ctx, fmt.Sprintf("(%s)(%g, %g, %t)", controlScript, x, y, preferID), queryTimeout)
	if err != nil || value == nil {
		return nil, err
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var c Control
	return &c, json.Unmarshal(data, &c)
}
