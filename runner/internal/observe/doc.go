// Package observe reads the screen of a device: what a decision needs goes in, a frame comes out. It is the only code
// of a running step that takes trees and screenshots to search them. It chooses the cheapest source that can answer,
// and knows screens that may not be pictured or never stop moving; it knows no selector and comes to no result.
package observe
