// Package mail sends the e-mails of the service through an SMTP server. The code is in server/internal/mail; this is
// what other folders need of it.
package mail

import (
	"github.com/taproot-dev/taproot/server/internal/mail"
)

// Options are the settings of a Sender.
type Options = mail.Options

// New checks the options. It does not connect.
func New(o Options) (*mail.Sender, error) {
	return mail.New(o)
}
