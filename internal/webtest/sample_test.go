package webtest

import (
	"reflect"
	"strings"
	"testing"
)

func TestMakeSample(t *testing.T) {
	kinds := map[string]bool{}
	for seed := range uint64(200) {
		sample := MakeSample(seed)
		if !reflect.DeepEqual(sample, MakeSample(seed)) {
			t.Fatalf("the seed %d makes two pages", seed)
		}
		words := map[string]string{}
		for _, text := range sample.Texts {
			for _, w := range text.Words() {
				if in, used := words[w[:2]]; used && in != text.Text {
					t.Errorf("seed %d: %q and %q begin alike", seed, in, text.Text)
				}
				words[w[:2]] = text.Text
			}
		}
		for _, kind := range strings.Fields("<br> <pre <td <form data-page data-shadow data-scroll float: type=checkbox") {
			kinds[kind] = kinds[kind] || strings.Contains(sample.HTML, kind)
		}
	}
	for kind, found := range kinds {
		if !found {
			t.Errorf("no page has %s", kind)
		}
	}
}
