package dsl

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// maxRows bounds the cases that one test can make.
const maxRows = 10_000

// Data are a test's rows of values: each makes a case of its own.
type Data struct {
	Path string // of a .csv or .json file, relative to the test's; empty: the rows are in the test
	Pos  source.Pos

	rows   []Row
	source *source.Source
}

// Row is one row of data.
type Row struct {
	N      int // counted from 1
	Values map[string]any
}

func (t *Data) fromValue(d *decoding, v source.Value, name string) {
	t.Pos, t.source = v.Pos, d.source
	switch {
	case v.Kind == source.String:
		d.dataPath(v)
		t.Path = v.Text
	case v.Kind == source.List && len(v.Items) > 0:
		t.rows = d.rows(v)
	case v.Kind == source.List:
		d.wrong(v, `"data" holds no rows`, "a test without a row would not run")
	default:
		d.wrong(v, fmt.Sprintf("%q must be a list of rows or the path of a file, not %s", name, describe(v)),
			"write one \"- {NAME: value}\" per row, or data: users.csv")
	}
}

func (d *decoding) dataPath(v source.Value) {
	ext := strings.ToLower(path.Ext(v.Text))
	switch {
	case ext != ".csv" && ext != ".json":
		d.wrong(v, fmt.Sprintf("%q is not the path of a .csv or .json file", shorten.Runes(v.Text, 60)),
			"the rows come from a file of one of these kinds, or are a list of maps in the test")
	case strings.ContainsRune(v.Text, '\\'):
		d.wrong(v, "a backslash in a path", "write / between folders; it works on every system")
	case strings.HasPrefix(v.Text, "/"), strings.Contains(v.Text, ":"):
		d.wrong(v, fmt.Sprintf("the path %q is not relative to this file's folder", shorten.Runes(v.Text, 60)),
			"write it relative to this file: ../data/users.csv")
	}
}

// rows reads a list of maps that all have the same keys.
func (d *decoding) rows(v source.Value) []Row {
	if len(v.Items) > maxRows {
		d.fail(v.Pos, 0, fmt.Sprintf("more than %d rows", maxRows), "split the test")
		return nil
	}
	var rows []Row
	var first []string
	for i, item := range v.Items {
		if item.Kind != source.Map || len(item.Fields) == 0 {
			d.wrong(item, fmt.Sprintf("a row must be a map, not %s", describe(item)), "for example: {USER: ada, AGE: 36}")
			continue
		}
		row := Row{N: i + 1, Values: map[string]any{}}
		for _, f := range item.Fields {
			if d.nameOf(f) {
				row.Values[f.Key] = d.read(f.Value)
			}
			if varForm.MatchString(f.Key) && first != nil && !slices.Contains(first, f.Key) {
				d.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("the first row has no %q", shorten.Runes(f.Key, 60)),
					"every row sets the same variables")
			}
		}
		for _, name := range first {
			if _, given := item.Get(name); !given {
				d.fail(item.Pos, 0, fmt.Sprintf("row %d has no %q", i+1, shorten.Runes(name, 60)),
					"every row sets the same variables")
			}
		}
		if first == nil {
			for _, f := range item.Fields {
				first = append(first, f.Key)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// Rows returns the rows of the test's data, none without data. read gets the path as the test has it, cleaned, with
// slashes; it must check where the path leads. The error is an Errors.
func (t *Test) Rows(read func(path string) ([]byte, error)) ([]Row, error) {
	if t.Data.Path == "" {
		return t.Data.rows, nil
	}
	at := func(msg, hint string) error {
		return source.Errors{{Pos: t.Data.Pos, Source: t.Data.source, Width: len([]rune(t.Data.Path)), Msg: msg, Hint: hint}}
	}
	name := path.Clean(t.Data.Path)
	data, err := read(name)
	if err != nil {
		return nil, at(fmt.Sprintf("the data file cannot be read: %v", err), meant(err, ""))
	}
	if len(data) > source.MaxBytes {
		return nil, at(fmt.Sprintf("the data file is larger than %d bytes", source.MaxBytes), "split it")
	}
	var rows []Row
	if strings.EqualFold(path.Ext(name), ".csv") {
		rows, err = csvRows(name, data)
	} else {
		rows, err = jsonRows(name, data)
	}
	switch {
	case err != nil:
		return nil, at("the data file is wrong: "+err.Error(), "")
	case len(rows) == 0:
		return nil, at(fmt.Sprintf("%s holds no rows", name), "a test without a row would not run")
	}
	for _, secret := range t.Secrets {
		if !slices.Contains(t.names(), secret) && rows[0].Values[secret] == nil {
			return nil, at("a secret is named neither in the test nor in its data file", "secrets: holds names of variables")
		}
	}
	return rows, nil
}

// csvRows reads a table with the names of the variables in its first line. Its values are texts.
func csvRows(name string, data []byte) ([]Row, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	r.TrimLeadingSpace = true
	all, err := r.ReadAll()
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad):
		return nil, fmt.Errorf("%s:%d:%d: %w", name, bad.Line, bad.Column, bad.Err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(all) > maxRows+1:
		return nil, fmt.Errorf("%s: more than %d rows", name, maxRows)
	case len(all) == 0:
		return nil, fmt.Errorf("%s: the first line names the variables, and there is none", name)
	}
	head := all[0]
	for i := range head {
		head[i] = strings.TrimSpace(head[i])
		if !varForm.MatchString(head[i]) || reserved(head[i]) {
			return nil, fmt.Errorf("%s:1: %q cannot be the name of a variable", name, shorten.Runes(head[i], 60))
		}
		if slices.Contains(head[:i], head[i]) {
			return nil, fmt.Errorf("%s:1: the column %q is given twice", name, head[i])
		}
	}
	var rows []Row
	for i, line := range all[1:] {
		row := Row{N: i + 1, Values: make(map[string]any, len(head))}
		for c, key := range head {
			row.Values[key] = line[c]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// jsonRows reads a list of objects that all have the same keys.
func jsonRows(name string, data []byte) ([]Row, error) {
	v, err := source.FromJSON(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case v.Kind != source.List:
		return nil, fmt.Errorf("%s: a list of objects is wanted", name)
	}
	d := &decoding{}
	rows := d.rows(v)
	if len(d.errs) > 0 {
		return nil, fmt.Errorf("%s: %w", name, d.errs[0])
	}
	return rows, nil
}

func (Data) schema(*schemas) schema {
	row := namedValues()
	row["minProperties"] = 1
	return schema{"anyOf": []any{schema{"type": "array", "minItems": 1, "maxItems": maxRows, "items": row},
		schema{"type": "string", "pattern": `^[^/:$\\][^:$\\]*\.([cC][sS][vV]|[jJ][sS][oO][nN])$`}}}
}

func (Data) words() string { return "list of maps, or path" }
