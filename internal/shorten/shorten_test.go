package shorten

import "testing"

func TestShorten(t *testing.T) {
	for name, c := range map[string]struct{ got, want string }{
		"characters that fit":           {Runes("é日🎉", 3), "é日🎉"},
		"characters that do not":        {Runes("é日🎉x", 3), "é日🎉…"},
		"none":                          {Runes("a", 0), "…"},
		"what is no text":               {Runes("\xff\xfea", 2), "\xff\xfe…"},
		"bytes that fit":                {Bytes("é", 2), "é"},
		"bytes, not half a character":   {Bytes("aé", 2), "a…"},
		"bytes, nothing but a mark":     {Bytes("日本", 2), "…"},
		"the first of two lines":        {FirstLine("a\nb"), "a"},
		"the only line":                 {FirstLine("a"), "a"},
		"lines, tabs and blanks as one": {OneLine(" a\n\tb  c "), "a b c"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
}
