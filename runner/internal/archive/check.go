package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/taproot-dev/taproot/internal/upload"
)

// Check reads an archive. It must have the sum, unless that is "", and contain nothing that a host would refuse. The
// error is an *upload.Refused, an *upload.TooLarge, or the reader's.
func Check(ctx context.Context, in io.Reader, sum string) error {
	h := sha256.New()
	if err := upload.Check(ctx, io.TeeReader(in, h), Limits); err != nil {
		return err
	}
	if sum != "" && hex.EncodeToString(h.Sum(nil)) != sum {
		return &upload.Refused{Why: "the archive does not match its name: its SHA-256 differs"}
	}
	return nil
}
