package decode

import (
	"fmt"
	"slices"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
)

// readPlatform reads a platform, or a list of them; both and mobile are Android and iOS.
func readPlatform(d *Decoding, p *vocabulary.Platform, v source.Value, name string) {
	items := []source.Value{v}
	if v.Kind == source.List {
		items = v.Items
		if len(items) == 0 {
			d.Wrong(v, fmt.Sprintf("%q is empty", name), "write one or more of "+phrase.Or(vocabulary.PlatformWords()))
			return
		}
	}
	from := map[vocabulary.Platform]string{} // the word by which each of them is given
	var each []vocabulary.Platform
	for _, item := range items {
		text, ok := d.platformWord(item, name)
		if !ok {
			return
		}
		for _, one := range vocabulary.Platform(text).Each() {
			switch before := from[one]; {
			case before == text:
				d.Wrong(item, fmt.Sprintf("%q is given twice", text), "remove one of the two: a platform has one case")
				return
			case before != "":
				d.Wrong(item, fmt.Sprintf("%q is given twice: %q and %q include it", one, before, text),
					"remove one of the two: a platform has one case")
				return
			}
			from[one] = text
			each = append(each, one)
		}
	}
	*p = event.PlatformOf(each)
}

func (d *Decoding) platformWord(v source.Value, name string) (string, bool) {
	text, ok := d.string(v, name)
	if !ok || slices.Contains(vocabulary.PlatformWords(), text) {
		return text, ok
	}
	hint := "write " + phrase.Or(vocabulary.PlatformWords())
	near := phrase.Nearest(text, vocabulary.PlatformWords())
	if near == "" {
		near = foreignPlatform(text)
	}
	if near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	d.Wrong(v, fmt.Sprintf("%q cannot be %q%s", name, phrase.LimitRunes(text, 60), source.Origin(v)), hint)
	return "", false
}
