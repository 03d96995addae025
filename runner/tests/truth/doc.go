// Package truth holds tests only: they hold results against what really happened. Screens and pages that are made up
// at random, or by people who want to mislead, know for themselves what was touched, typed and shown.
package truth
