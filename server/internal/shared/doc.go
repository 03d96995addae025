// Package shared synchronizes the runs and tests of a project between servers: each server uploads its folders to a
// bucket and downloads what others have uploaded.
package shared
