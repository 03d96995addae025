package plan

import (
	"fmt"
	"path/filepath"

	"github.com/taproot-dev/taproot/dsl"
)

// Draft plans the one test in the text of an editor, as if it were in the file that it names, relative to Options.Dir:
// with its suite's settings, the files that it runs, and the first row of its data. Missing values of variables are
// found when it runs. Of a test for several platforms or browsers it returns the case for the platform of the options,
// otherwise the first one. The error is a *Usage, or an error in the text.
func Draft(o Options, file Source) (Case, error) {
	own := &owns{o: o}
	tests, err := dsl.Parse(file.Name, file.Text, own.of(filepath.Dir(absolute(o.Dir, file.Name))))
	if err != nil {
		return Case{}, err
	}
	if len(tests) != 1 {
		return Case{}, &Usage{fmt.Sprintf("%s has %d tests, not one", file.Name, len(tests))}
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
