package screen_test

import (
	"image"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// fill sets every exported field of a value to something that is not zero.
func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), depth)
			}
		}
	case reflect.Pointer:
		if v.Type() != reflect.TypeFor[*screen.Node]() {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth)
		}
	case reflect.Slice:
		if v.Type().Elem() == reflect.TypeFor[*screen.Node]() {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth)
	case reflect.String:
		v.SetString("x" + string(rune('a'+depth)))
	case reflect.Int:
		v.SetInt(int64(7 + depth))
	case reflect.Bool:
		v.SetBool(true)
	}
}

// TestRecordedTree: a recorded tree has every field of the tree; a field that is added is missed here.
func TestRecordedTree(t *testing.T) {
	leaf, control, root := &screen.Node{}, &screen.Node{Ref: "c", Type: "input"}, &screen.Node{}
	fill(reflect.ValueOf(leaf).Elem(), 1)
	fill(reflect.ValueOf(root).Elem(), 2)
	leaf.ControlRef, root.ControlRef = "", ""
	root.Children = []*screen.Node{leaf, control}
	tree := screen.NewTree([]*screen.Node{root, {Type: "window"}}, image.Pt(300, 500), time.Now().Round(0))
	leaf.Control = control
	tree.Active, tree.HitTested, tree.Loading, tree.Rest = 1, true, true, screen.Busy
	tree.Bars = []*screen.Node{{Type: "bar", Blocks: true, Children: []*screen.Node{{Type: "button", Text: "Back"}}}}
	tree.SwipeEdges = []image.Rectangle{image.Rect(0, 490, 300, 500)}
	tree.Parts = []screen.TextPart{{Text: "x", Mode: "words"}}
	data, err := tree.Record()
	if err != nil {
		t.Fatal(err)
	}
	got, err := screen.ReadRecorded(data)
	if err != nil {
		t.Fatal(err)
	}
	opts := cmp.Options{cmpopts.IgnoreUnexported(screen.Node{}, screen.Tree{}),
		cmpopts.IgnoreFields(screen.Node{}, "Parent", "Control"), cmpopts.EquateEmpty()}
	if d := cmp.Diff(tree, got, opts); d != "" {
		t.Error(d)
	}
	again := got.Windows[0].Children
	if again[0].Control != again[1] || again[0].Parent != got.Windows[0] {
		t.Errorf("%v is linked to %v in %v", again[0], again[0].Control, again[0].Parent)
	}
}

// FuzzReadRecorded: a damaged record is an error, never a panic.
func FuzzReadRecorded(f *testing.F) {
	data, err := screen.NewTree([]*screen.Node{{Type: "window", Text: "Hi"}}, image.Pt(3, 5), time.Now()).Record()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"w":[{"names":9}]}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if tree, err := screen.ReadRecorded(data); err == nil {
			tree.Texts(10)
		}
	})
}
