package screen

import "testing"

func TestShownByPhones(t *testing.T) {
	for _, c := range []struct {
		node Node
		want string
	}{
		{Node{Type: "android.widget.EditText", Editable: true, Text: "See you", Desc: "Reply"}, "See you"},
		{Node{Type: "android.widget.EditText", Editable: true, Desc: "Reply"}, ""},
		{Node{Type: "XCUIElementTypeTextField", Editable: true, Desc: "Reply", Hint: "Write"}, ""},
		{Node{Type: "XCUIElementTypeSlider", Text: "50 %", Desc: "Volume"}, "50 %"},
		{Node{Type: "android.widget.ImageButton", Desc: "Close"}, "Close"},
		{Node{Type: "android.widget.CheckBox", Desc: "Agree"}, "Agree"},
	} {
		if got := c.node.Shown(); got != c.want {
			t.Errorf("%+v shows %q, not %q", c.node, got, c.want)
		}
	}
}
