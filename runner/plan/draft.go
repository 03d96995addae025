package plan

import (
	"fmt"

	"github.com/taproot-dev/taproot/dsl"
)

// Draft plans the one test in a text that an editor holds, as if it lay in the file that it names, relative to
// Options.Dir: with what its suite says, the files that it runs, and the first row of its data. Whether each variable
// has a value is seen when it is run. Of a test for several platforms or browsers it is the case for the platform of
// the options, else the first one. The error is a *Usage, or of the text.
func Draft(o Options, file Source) (Case, error) {
	tests, err := dsl.Parse(file.Name, file.Text)
	if err != nil {
		return Case{}, err
	}
	if len(tests) != 1 {
		return Case{}, &Usage{fmt.Sprintf("%s holds %d tests, not one", file.Name, len(tests))}
	}
	cases, err := newSuites(o).cases(tests[0])
	if err != nil {
		return Case{}, err
	}
	if len(cases) == 0 {
		return Case{}, &Usage{fmt.Sprintf("%s: its data has no rows", file.Name)}
	}
	for _, c := range cases {
		if c.Platform == o.Platform {
			return c, nil
		}
	}
	return cases[0], nil
}
