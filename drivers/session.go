package drivers

import "context"

// CloudSession is a Device with a session that a cloud shows to people.
type CloudSession interface {
	// SessionURL is the page of the session; "": there is none, or it is not known.
	SessionURL() string
	// ReportResult sends the cloud the result of the test, once, before Close.
	ReportResult(ctx context.Context, passed bool, reason string) error
}
