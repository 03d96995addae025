// Package archive transfers what tests need to other machines. The folders of the tests, and the files that their steps
// name, become one archive, with its SHA-256 as its name. A host keeps archives while there is space, and extracts one
// for each run.
package archive
