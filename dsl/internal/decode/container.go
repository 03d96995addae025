package decode

import (
	"fmt"
	"reflect"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// container reads an iframe that is written as a selector, {css: "iframe#pay"}, into the selector of a page.
func (d *Decoding) container(dst reflect.Value, v source.Value, f vocabulary.Key) {
	const hint = `write {css: "iframe#pay"}, or xpath in the place of css`
	if len(v.Fields) != 1 || v.Fields[0].Key != "css" && v.Fields[0].Key != "xpath" {
		d.Wrong(v, fmt.Sprintf("%q must name an iframe by css or xpath", f.Name), hint)
		return
	}
	by := v.Fields[0]
	if d.Variables == expr.Deferred && expr.HoldsVariable(by.Value) {
		d.References(by.Value)
		return
	}
	own := f
	own.Name, own.Format = by.Key, map[string]string{"css": "selector", "xpath": "xpath"}[by.Key]
	d.text(dst, by.Value, own)
	if by.Key == "xpath" && dst.String() != "" {
		dst.SetString("xpath=" + dst.String())
	}
}
