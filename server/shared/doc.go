// Package shared lets several servers have the same runs and tests of a project: the folders of one server go into a
// bucket, and what others put there comes into its folders.
package shared
