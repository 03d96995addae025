package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
)

// ProofHeader is that of a ProvenError's proof, in base64, where the hub answers over HTTP.
const ProofHeader = "Taproot-Proof"

// ProvenError is a word of the hub that a host may believe by whatever way it comes: the key has signed it that signs
// the host's credential.
type ProvenError struct {
	Err   error
	Proof []byte // the signature of what is said, such as Revoked
}

func (e *ProvenError) Error() string { return e.Err.Error() }
func (e *ProvenError) Unwrap() error { return e.Err }

// ProofOf is the value of ProofHeader for an error; "": nothing proves it.
func ProofOf(err error) string {
	var proven *ProvenError
	if !errors.As(err, &proven) {
		return ""
	}
	return base64.StdEncoding.EncodeToString(proven.Proof)
}

// Revoked is the text whose signature proves that the host of a key was revoked, which it stays for ever.
func Revoked(host, key string) []byte { return fmt.Appendf(nil, "taproot revoked\n%s\n%s", host, key) }
