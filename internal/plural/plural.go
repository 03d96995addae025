// Package plural formats counts: "1 step", "3 steps".
package plural

import "strconv"

// Of formats a number with a noun, which gets an s unless the number is 1.
func Of(n int, one string) string {
	if n != 1 {
		one += "s"
	}
	return strconv.Itoa(n) + " " + one
}
