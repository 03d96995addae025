package order

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/runner/internal/run"
)

// keptFile is the file in the archive of a pack with what its case leaves for others. The client removes it.
const keptFile = "needs.enc"

// NewKey makes the key of a run. What tests save for others can be secret: it is sent encrypted with this key, which is
// in the settings of the run, so that the hub stores neither of them in plain text.
func NewKey() []byte {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	return key
}

func sealer(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("the run has no key for what its tests need: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// Seal encrypts a value.
func Seal(key []byte, value any) ([]byte, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	aead, err := sealer(key)
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, data, nil), nil
}

// Unseal decrypts a value.
func Unseal(key, sealed []byte, value any) error {
	aead, err := sealer(key)
	if err != nil {
		return err
	}
	data, err := aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return fmt.Errorf("what a test needs is damaged: %w", err)
	}
	return json.Unmarshal(data, value)
}

// Needs decrypts what a case needs.
func (s Settings) Needs(sealed []byte) (needs run.Needs, err error) {
	if len(sealed) > 0 {
		err = Unseal(s.Key, sealed, &needs)
	}
	return needs, err
}

// Leave writes what a case leaves for others into its pack, before the pack is archived; nil is nothing.
func (s Settings) Leave(pack string, k *run.Kept) error {
	if k == nil {
		return nil
	}
	sealed, err := Seal(s.Key, k)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(pack, keptFile), sealed, 0o600)
}

// Take reads what a case has left in its pack, and removes it there; ok is false when there is nothing.
func Take(key []byte, pack string, value any) (ok bool, err error) {
	file := filepath.Join(pack, keptFile)
	sealed, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, errors.Join(Unseal(key, sealed, value), os.Remove(file))
}
