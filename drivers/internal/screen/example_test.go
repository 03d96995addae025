package screen_test

import (
	"fmt"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

func ExampleTree_Find() {
	button := func(text string, y int) *screen.Node {
		return &screen.Node{Type: "button", Text: text, Bounds: image.Rect(0, y, 200, y+40), Clickable: true}
	}
	tree := screen.NewTree([]*screen.Node{button("Remove", 0), button("Remove", 50)}, image.Pt(400, 800), time.Time{})

	matches, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: "Save"}, Action: true})
	fmt.Println(len(matches), err)

	second := 1
	matches, err = tree.Find(screen.Query{Selector: dsl.Selector{Label: "remove", Index: &second}, Action: true})
	fmt.Println(matches[0].Node.Bounds, err)
	// Output:
	// 0 <nil>
	// (0,50)-(200,90) <nil>
}
