package wire

import "fmt"

// Loan requests a device of another host for an attempt of a case. The hub connects the two hosts: it opens a
// connection to each, on which it first sends the Loan as a line. The host of the device responds with a LoanReply, as
// a line; then the hub copies both ways.
type Loan struct {
	Run     string `json:"run"`
	N       int    `json:"n"`
	Attempt int    `json:"attempt"`
	Host    string `json:"host"` // that has the device
	Device  string `json:"device"`
	Conn    string `json:"conn"`           // chosen by the requesting host
	Open    bool   `json:"open,omitempty"` // connect to the device; otherwise lease it for as long as the connection lives
	From    string `json:"from,omitempty"` // the requesting host, which the hub sets
}

// String identifies what is lent.
func (l Loan) String() string { return fmt.Sprintf("%s:%d:%d/%s", l.Run, l.N, l.Attempt, l.Device) }

// LoanReply says why a device is not lent, or nothing.
type LoanReply struct {
	Error string `json:"error,omitempty"`
}

const (
	// Loans is the listener of a host for devices that it lends to another host, or borrows.
	Loans = "loan"
	// LoanSubject is the subject of Loans, below ToHub.
	LoanSubject = "runs.loan"
)
