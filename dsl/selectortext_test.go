package dsl

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseSelector(t *testing.T) {
	zero := 0
	for text, want := range map[string]Selector{
		"Sign in":                    {Label: "Sign in"},
		"Total: 5":                   {Label: "Total: 5"},
		"E-mail: you: me":            {Label: "E-mail: you: me"},
		"42":                         {Label: "42"},
		"- one":                      {Label: "- one"},
		"true":                       {Label: "true"},
		`"quoted"`:                   {Label: `"quoted"`},
		"*":                          {Label: "*"},
		"&a":                         {Label: "&a"},
		"id: email":                  {ID: "email"},
		"{id: email, below: E-mail}": {ID: "email", Below: &Selector{Label: "E-mail"}},
		`{"label":"Pay","index":0}`:  {Label: "Pay", Index: &zero},
		" {label: ' x '}":            {Label: " x "},
		"{label: a\\b}":              {Label: `a\b`},
		"Zahlung bestätigen 🛒":       {Label: "Zahlung bestätigen 🛒"},
	} {
		if got, err := ParseSelector("selector", text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, says := range map[string]string{
		"{lable: x}":                 `did you mean "label"`,
		"{id: email":                 "}",
		"":                           "selector",
		"   ":                        "selector",
		"{}":                         "which element",
		"{index: 1}":                 "which element",
		"{label: '(', match: regex}": "regular expression",
		"{point: '3,4'}":             "element, not a point",
	} {
		if got, err := ParseSelector("selector", text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
