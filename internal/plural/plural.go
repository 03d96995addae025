// Package plural counts things in words: "1 step", "3 steps".
package plural

import "strconv"

// Of gives a number with the word for one thing, to which several add an s.
func Of(n int, one string) string {
	if n != 1 {
		one += "s"
	}
	return strconv.Itoa(n) + " " + one
}
