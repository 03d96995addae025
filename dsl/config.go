package dsl

import "reflect"

// MaxFileSize is the size, in bytes, of the largest file that Parse takes.
const MaxFileSize = maxBytes

// Config is a suite's taproot.yaml.
type Config struct {
	Exclude []string `json:"exclude,omitempty" doc:"Glob patterns, relative to the file, of files and folders that are left out unless they are named."`
}

// ParseConfig reads a taproot.yaml; an empty one is fine.
func ParseConfig(file string, src []byte) (Config, error) {
	var c Config
	text, source, bad := readable(file, src)
	if bad != nil {
		return c, Errors{bad}
	}
	values, err := read(text, source)
	if err != nil || len(values) == 0 {
		return c, err
	}
	d := &decoding{source: source, variables: refused}
	if len(values) > 1 {
		d.fail(values[1].Pos, 0, "a second document", "taproot.yaml holds one")
	}
	d.structure(reflect.ValueOf(&c).Elem(), values[0], object{name: "taproot.yaml", at: values[0].Pos})
	return c, d.errs.orNil()
}

// Suggest gives the candidate that a mistyped word most likely means, or "".
func Suggest(word string, candidates []string) string { return nearest(word, candidates) }
