// Package plan turns the arguments of a run (files, folders, test ids, filters) into the cases to run, in a
// deterministic order. It does not access devices.
package plan
