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
