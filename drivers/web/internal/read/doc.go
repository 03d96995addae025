// Package read reads pages: their elements as a tree, and what selectors pick of them.
package read
