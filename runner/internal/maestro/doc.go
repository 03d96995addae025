// Package maestro finds elements by the rules of Maestro: a tree and a selector with the match maestro go in, the
// elements that it picks come out in Maestro's order, of which the first is meant. Nothing is ambiguous, and what
// covers an element plays no part.
package maestro
