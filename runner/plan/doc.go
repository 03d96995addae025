// Package plan turns the arguments of a run (files, folders, test ids, filters) into the cases to run, in a
// deterministic order. The code is in runner/internal/plan; this is what other folders need of it.
package plan
