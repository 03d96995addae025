package decide

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
)

// box is a virtual list: only the rows in its view exist.
type box struct {
	name       string
	rows, view int
	at         int
	factor     float64 // how much further it moves than it should
}

func (b *box) shows() (rows []string) {
	for i := b.at; i < min(b.at+b.view, b.rows); i++ {
		rows = append(rows, fmt.Sprint(b.name, " ", i))
	}
	return rows
}

func (b *box) end() int { return max(b.rows-b.view, 0) }

// move moves the content, by at least one row, and reports whether it did.
func (b *box) move(way image.Point, part float64) bool {
	rows := max(1, int(math.Round(part*b.factor*float64(b.view))))
	from := b.at
	b.at = min(max(b.at+rows*way.Y, 0), b.end())
	return b.at != from
}

// searchThrough makes all movements of a search that finds nothing, and returns the rows that it saw.
func searchThrough(t *testing.T, s *Scrolling, boxes ...*box) map[string]bool {
	t.Helper()
	seen := map[string]bool{}
	for steps := 0; ; steps++ {
		if steps > 20_000 {
			t.Fatalf("no end of the search: %+v", *s)
		}
		s.Boxes = len(boxes)
		b := boxes[s.Box]
		s.See(b.shows())
		for _, b := range boxes {
			for _, row := range b.shows() {
				seen[row] = true
			}
		}
		way, _, end := s.Next(false)
		if end != "" {
			return seen
		}
		first, before := s.Moves == 0, b.at
		moved := b.move(way, s.Part)
		s.Moved(Moved{Started: first && before > 0})
		if !moved && !s.AtEnd() {
			return seen
		}
	}
}

// TestScrollingSeesEachRow of lists of any length, wherever they start, also if each movement goes up to three times as
// far as it should.
func TestScrollingSeesEachRow(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		boxes := []*box{{name: "a", rows: r.IntN(300), view: 3 + r.IntN(20), factor: 0.3 + 2.7*r.Float64()}}
		if r.IntN(3) == 0 {
			boxes = append(boxes, &box{name: "b", rows: r.IntN(60), view: 3 + r.IntN(9), factor: 0.3 + r.Float64()})
		}
		direction := dsl.Direction("")
		if r.IntN(3) == 0 {
			direction = dsl.Down
		} else {
			boxes[0].at = r.IntN(boxes[0].end() + 1)
		}
		list := *boxes[0]
		s := NewScrolling(direction, 0, r.IntN(2) == 0)
		seen := searchThrough(t, &s, boxes...)
		for _, b := range boxes {
			for i := range b.rows {
				if row := fmt.Sprint(b.name, " ", i); !seen[row] {
					t.Fatalf("seed %d: %q of %+v was not seen: %+v", seed, row, list, s)
				}
			}
		}
	}
}

func TestScrolling(t *testing.T) {
	rows := func(from, to int) (rows []string) {
		for i := from; i < to; i++ {
			rows = append(rows, fmt.Sprint(i))
		}
		return rows
	}
	t.Run("goes back after rows were skipped, by smaller steps", func(t *testing.T) {
		s := NewScrolling(dsl.Down, 0, true)
		s.See(rows(0, 10))
		s.Moved(Moved{})
		s.See(rows(12, 22))
		if way, back, _ := s.Next(false); !back || way.Y != -1 || s.Part >= wheelPart || !s.Returning() {
			t.Errorf("way %v, back %v, %+v", way, back, s)
		}
		s.Moved(Moved{})
		s.See(rows(6, 16))
		if way, back, _ := s.Next(false); back || way.Y != 1 || s.Returning() {
			t.Errorf("way %v, back %v, %+v", way, back, s)
		}
	})
	t.Run("rows that are still drawn skip nothing", func(t *testing.T) {
		s := NewScrolling(dsl.Down, 0, true)
		s.See(rows(0, 10))
		s.Moved(Moved{})
		s.See(nil)
		if _, back, _ := s.Next(false); back {
			t.Error("back")
		}
		s.See(rows(8, 18))
		if _, back, _ := s.Next(false); back || s.Last != "17" || s.First != "0" {
			t.Errorf("back %v, %+v", back, s)
		}
	})
	t.Run("movements of the device itself skip nothing", func(t *testing.T) {
		s := NewScrolling(dsl.Down, 0, true)
		s.See(rows(0, 10))
		s.Moved(Moved{Followed: 5})
		s.See(rows(50, 60))
		if _, back, _ := s.Next(false); back || s.Moves != 5 {
			t.Errorf("back %v, %+v", back, s)
		}
	})
	t.Run("the limit ends it", func(t *testing.T) {
		s := NewScrolling(dsl.Down, 2, true)
		s.Moved(Moved{})
		if _, _, end := s.Next(false); end != "" {
			t.Error(end)
		}
		s.Moved(Moved{})
		if _, _, end := s.Next(false); end != "2 movements were not enough" {
			t.Error(end)
		}
	})
	t.Run("what is under a bar at the top comes free on the way back", func(t *testing.T) {
		s := NewScrolling("", 0, true)
		if way, back, _ := s.Next(true); !back || way.Y != -1 {
			t.Errorf("way %v, back %v", way, back)
		}
		s = NewScrolling(dsl.Up, 0, true)
		if way, back, _ := s.Next(true); back || way.Y != -1 {
			t.Errorf("way %v, back %v", way, back)
		}
	})
	t.Run("turns once where it did not start at the edge", func(t *testing.T) {
		s := NewScrolling("", 0, false)
		s.Moved(Moved{Started: true})
		if !s.AtEnd() || s.Way.Y != -1 {
			t.Errorf("%+v", s)
		}
		s.Moved(Moved{Started: true})
		if s.AtEnd() {
			t.Errorf("%+v", s)
		}
		s = NewScrolling(dsl.Down, 0, false) // the test says where
		s.Moved(Moved{Started: true})
		if s.AtEnd() {
			t.Errorf("%+v", s)
		}
	})
	t.Run("a page that scrolls less than it should gets longer movements", func(t *testing.T) {
		s := NewScrolling(dsl.Down, 0, true)
		s.See(rows(0, 10))
		for i := range 20 {
			s.Moved(Moved{Unknown: true})
			s.See(rows(1+i, 11+i))
		}
		if s.Part != mostPart {
			t.Errorf("%v of the box", s.Part)
		}
	})
}
