// Package seats assigns devices to the entries of a test with several, and describes which host has them.
package seats

// Seat is the device of one entry.
type Seat struct {
	Name   string `json:"name"` // of the entry in the test
	Host   string `json:"host"`
	Device string `json:"device"`
}

// String is the name with the device: "bob: emulator-5554@desk".
func (s Seat) String() string { return s.Name + ": " + s.Device + "@" + s.Host }

// Assign picks a different device for each list of choices, for as many lists as possible: the indexes of the choices,
// −1 for a list without one. Two choices with the same key are the same device.
//
// A list takes its first choice that is not taken. If all are, one of those that have them takes another one, if it
// can, and so on: an augmenting path of a bipartite graph. So a device goes to an entry that suits no other one, even
// if an earlier entry has picked it first. The cost is the number of lists times the number of choices, which are few.
func Assign[T any](choices [][]T, key func(T) string) []int {
	a := &assignment[T]{choices: choices, key: key, picked: make([]int, len(choices)), owner: map[string]int{}}
	for i := range a.picked {
		a.picked[i] = -1
	}
	for i := range choices {
		a.pick(i, map[string]bool{})
	}
	return a.picked
}

// assignment is the state of Assign.
type assignment[T any] struct {
	choices [][]T
	key     func(T) string
	picked  []int
	owner   map[string]int // the list that has a device, by its key
}

// pick finds a choice for a list. Devices that were tried are not tried again, so that it ends.
func (a *assignment[T]) pick(i int, tried map[string]bool) bool {
	for n, c := range a.choices[i] {
		if _, taken := a.owner[a.key(c)]; !taken {
			a.take(i, n)
			return true
		}
	}
	for n, c := range a.choices[i] {
		if key := a.key(c); !tried[key] {
			tried[key] = true
			if a.pick(a.owner[key], tried) {
				a.take(i, n)
				return true
			}
		}
	}
	return false
}

func (a *assignment[T]) take(i, n int) {
	a.owner[a.key(a.choices[i][n])], a.picked[i] = i, n
}
