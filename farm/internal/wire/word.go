package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
)

// ProofHeader is the HTTP header with the proof of a ProvenError, in base64.
const ProofHeader = "Taproot-Proof"

// ProvenError is an error of the hub with a signature by the key that signs the credentials of hosts. A host may trust
// it, however it arrived.
type ProvenError struct {
	Err   error
	Proof []byte // the signature of the statement, such as Revoked
}

func (e *ProvenError) Error() string { return e.Err.Error() }
func (e *ProvenError) Unwrap() error { return e.Err }

// ProofOf returns the value of ProofHeader for an error, or "" without a proof.
func ProofOf(err error) string {
	var proven *ProvenError
	if !errors.As(err, &proven) {
		return ""
	}
	return base64.StdEncoding.EncodeToString(proven.Proof)
}

// Revoked returns the text that is signed as proof that the host with a key was revoked. A revocation is permanent.
func Revoked(host, key string) []byte { return fmt.Appendf(nil, "taproot revoked\n%s\n%s", host, key) }
