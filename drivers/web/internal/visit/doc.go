// Package visit opens pages, goes from one to another, and sets what they believe of the system around them.
package visit
