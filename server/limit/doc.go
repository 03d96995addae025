// Package limit decides whether somebody may send one more request now: a name goes in, a Quota comes out.
package limit
