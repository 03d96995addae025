package vocabulary

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// MaxRows bounds the cases that one test can make.
const MaxRows = 10_000

// Data are a test's rows of values: each makes a case of its own.
type Data struct {
	Path string // of a .csv or .json file, relative to the test's; empty: the rows are in the test
	Pos  source.Pos

	rows   []expr.Row
	source *source.Source
}

func ReadData(d *expr.Values, t *Data, v source.Value, name string) {
	t.Pos, t.source = v.Pos, d.Source
	switch {
	case v.Kind == source.String:
		dataPath(d, v)
		t.Path = v.Text
	case v.Kind == source.List && len(v.Items) > 0:
		t.rows = readRows(d, v)
	case v.Kind == source.List:
		d.Wrong(v, `"data" holds no rows`, "a test without a row would not run")
	default:
		d.Wrong(v, fmt.Sprintf("%q must be a list of rows or the path of a file, not %s", name, source.Describe(v)),
			"write one \"- {NAME: value}\" per row, or data: users.csv")
	}
}

func dataPath(d *expr.Values, v source.Value) {
	ext := strings.ToLower(path.Ext(v.Text))
	switch {
	case ext != ".csv" && ext != ".json":
		d.Wrong(v, fmt.Sprintf("%q is not the path of a .csv or .json file", phrase.LimitRunes(v.Text, 60)),
			"the rows come from a file of one of these kinds, or are a list of maps in the test")
	case strings.ContainsRune(v.Text, '\\'):
		d.Wrong(v, "a backslash in a path", "write / between folders; it works on every system")
	case strings.HasPrefix(v.Text, "/"), strings.Contains(v.Text, ":"):
		d.Wrong(v, fmt.Sprintf("the path %q is not relative to this file's folder", phrase.LimitRunes(v.Text, 60)),
			"write it relative to this file: ../data/users.csv")
	}
}

// rows reads a list of maps that all have the same keys.
func readRows(d *expr.Values, v source.Value) []expr.Row {
	if len(v.Items) > MaxRows {
		d.Fail(v.Pos, 0, fmt.Sprintf("more than %d rows", MaxRows), "split the test")
		return nil
	}
	var rows []expr.Row
	var first []string
	for i, item := range v.Items {
		if item.Kind != source.Map || len(item.Fields) == 0 {
			d.Wrong(item, fmt.Sprintf("a row must be a map, not %s", source.Describe(item)), "for example: {USER: ada, AGE: 36}")
			continue
		}
		row := expr.Row{N: i + 1, Values: map[string]any{}}
		for _, f := range item.Fields {
			if d.NameOf(f) {
				row.Values[f.Key] = d.Read(f.Value)
			}
			if expr.VarForm.MatchString(f.Key) && first != nil && !slices.Contains(first, f.Key) {
				d.Fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("the first row has no %q", phrase.LimitRunes(f.Key, 60)),
					"every row sets the same variables")
			}
		}
		for _, name := range first {
			if _, given := item.Get(name); !given {
				d.Fail(item.Pos, 0, fmt.Sprintf("row %d has no %q", i+1, phrase.LimitRunes(name, 60)),
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
func (t *Test) Rows(read func(path string) ([]byte, error)) ([]expr.Row, error) {
	if t.Data.Path == "" {
		return t.Data.rows, nil
	}
	at := func(msg, hint string) error {
		return source.Errors{{Pos: t.Data.Pos, Source: t.Data.source, Width: len([]rune(t.Data.Path)), Msg: msg, Hint: hint}}
	}
	name := path.Clean(t.Data.Path)
	data, err := read(name)
	if err != nil {
		return nil, at(fmt.Sprintf("the data file cannot be read: %v", err), Meant(err, ""))
	}
	if len(data) > source.MaxBytes {
		return nil, at(fmt.Sprintf("the data file is larger than %d bytes", source.MaxBytes), "split it")
	}
	var rows []expr.Row
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
		if !slices.Contains(t.Names(), secret) && rows[0].Values[secret] == nil {
			return nil, at("a secret is named neither in the test nor in its data file", "secrets: holds names of variables")
		}
	}
	return rows, nil
}

// csvRows reads a table with the names of the variables in its first line. Its values are texts.
func csvRows(name string, data []byte) ([]expr.Row, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	r.TrimLeadingSpace = true
	all, err := r.ReadAll()
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad):
		return nil, fmt.Errorf("%s:%d:%d: %w", name, bad.Line, bad.Column, bad.Err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(all) > MaxRows+1:
		return nil, fmt.Errorf("%s: more than %d rows", name, MaxRows)
	case len(all) == 0:
		return nil, fmt.Errorf("%s: the first line names the variables, and there is none", name)
	}
	head := all[0]
	for i := range head {
		head[i] = strings.TrimSpace(head[i])
		if !expr.VarForm.MatchString(head[i]) || expr.Reserved(head[i]) {
			return nil, fmt.Errorf("%s:1: %q cannot be the name of a variable", name, phrase.LimitRunes(head[i], 60))
		}
		if slices.Contains(head[:i], head[i]) {
			return nil, fmt.Errorf("%s:1: the column %q is given twice", name, head[i])
		}
	}
	var rows []expr.Row
	for i, line := range all[1:] {
		row := expr.Row{N: i + 1, Values: make(map[string]any, len(head))}
		for c, key := range head {
			row.Values[key] = line[c]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// jsonRows reads a list of objects that all have the same keys.
func jsonRows(name string, data []byte) ([]expr.Row, error) {
	v, err := source.FromJSON(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case v.Kind != source.List:
		return nil, fmt.Errorf("%s: a list of objects is wanted", name)
	}
	d := &expr.Values{}
	rows := readRows(d, v)
	if len(d.Errs) > 0 {
		return nil, fmt.Errorf("%s: %w", name, d.Errs[0])
	}
	return rows, nil
}
