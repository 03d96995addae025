package service

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"
)

// randomText returns n random bytes as text for URLs and cookies.
func randomText(n int) string {
	return base64.RawURLEncoding.EncodeToString(randomBytes(n))
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

// newID returns an id for a row that cannot be guessed.
func newID(kind string) string { return kind + "_" + strings.ToLower(rand.Text()) }

// digest returns the hash that is stored for secrets of 128 bits and more.
func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

const secretLength = 32

// secret returns the secret of the options, or of the file next to the SQLite database.
func (o Options) secret(kind string) (string, error) {
	if o.Secret != "" {
		if len(o.Secret) < secretLength {
			return "", fmt.Errorf("TAPROOT_SERVICE_SECRET has fewer than %d characters; make one with: openssl rand -hex 32",
				secretLength)
		}
		return o.Secret, nil
	}
	if kind != "sqlite" {
		return "", errors.New("set TAPROOT_SERVICE_SECRET, the same for every replica; make one with: openssl rand -hex 32")
	}
	return secretFile(filepath.Join(filepath.Dir(strings.TrimPrefix(o.Database, "sqlite:")), "service.key"))
}

// secretFile reads the secret, or makes one that no other user can read.
func secretFile(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = f.WriteString(randomText(40) + "\n")
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return "", fmt.Errorf("make %s: %w", path, err)
		}
	}
	data, err := os.ReadFile(path)
	if text := strings.TrimSpace(string(data)); err == nil && len(text) >= secretLength {
		return text, nil
	}
	return "", fmt.Errorf("read the secret of the service from %s: %w", path,
		errors.Join(err, errors.New("it is too short or cannot be read")))
}

// box encrypts with a key that is derived from the secret of the service.
type box struct{ seal cipher.AEAD }

func newBox(secret string) (*box, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "taproot service seal", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	return &box{seal}, err
}

// encrypt encrypts a text for one place, so that it cannot be moved to another row.
func (s *box) encrypt(text []byte, place string) string {
	return base64.RawStdEncoding.EncodeToString(s.seal.Seal(nil, nil, text, []byte(place)))
}

var errSeal = errors.New(
	"TAPROOT_SERVICE_SECRET (or the file service.key) is not the one with which this database was made")

func (s *box) decrypt(text, place string) ([]byte, error) {
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, errSeal
	}
	plain, err := s.seal.Open(nil, nil, data, []byte(place))
	if err != nil {
		return nil, errSeal
	}
	return plain, nil
}

// Seal encrypts and authenticates a text for one use.
func (s *box) Seal(text []byte, use string) string {
	return base64.RawURLEncoding.EncodeToString(s.seal.Seal(nil, nil, text, []byte("use "+use)))
}

// Unseal is the inverse of Seal. It returns ErrInvalid for a text that Seal did not make for this use.
func (s *box) Unseal(text, use string) ([]byte, error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, ErrInvalid
	}
	plain, err := s.seal.Open(nil, nil, data, []byte("use "+use))
	if err != nil {
		return nil, ErrInvalid
	}
	return plain, nil
}

// The parameters of a password hash, except its cost.
const (
	hashLanes  = 1
	hashLength = 32
	hashSalt   = 16
)

// hashCost is the cost of a password hash: KiB of memory, and passes over it.
type hashCost struct{ memory, passes uint32 }

func costOf(o Options) hashCost {
	if o.CheapHashes {
		return hashCost{8 * hashLanes, 1}
	}
	return hashCost{19 * 1024, 2}
}

// busyHashing is how long a request waits until its password can be hashed.
const busyHashing = 10 * time.Second

// passwords hashes passwords, a limited number at once.
type passwords struct {
	hashes chan struct{}
	cost   hashCost
	dummy  string // the hash of a random password, for unknown accounts
}

func newPasswords(o Options) *passwords {
	c := costOf(o)
	// dummy is made without hashing, since no password must match it
	return &passwords{hashes: make(chan struct{}, o.Hashes), cost: c,
		dummy: c.text(randomBytes(hashSalt), randomBytes(hashLength))}
}

// turn waits until fewer passwords are being hashed than the limit.
func (s *passwords) turn(ctx context.Context) (func(), error) {
	ctx, cancel := context.WithTimeout(ctx, busyHashing)
	defer cancel()
	select {
	case s.hashes <- struct{}{}:
		return func() { <-s.hashes }, nil
	case <-ctx.Done():
		return nil, ErrOverloaded
	}
}

func (s *passwords) hashPassword(ctx context.Context, password string) (string, error) {
	done, err := s.turn(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	salt := randomBytes(hashSalt)
	return s.cost.text(salt, argon2.IDKey([]byte(password), salt, s.cost.passes, s.cost.memory, hashLanes, hashLength)),
		nil
}

// text formats a hash with its parameters.
func (c hashCost) text(salt, sum []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.passes, hashLanes, b64(salt),
		b64(sum))
}

// checkPassword takes as long for an account without a password as for one with.
func (s *passwords) checkPassword(ctx context.Context, hash, password string) (bool, error) {
	known := hash != ""
	if !known {
		hash = s.dummy
	}
	done, err := s.turn(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	var version, memory, passes uint32
	var lanes uint8
	parts := strings.Split(hash, "$")
	if len(parts) != 6 {
		return false, errors.New("the hash of a password does not have the expected form")
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &passes, &lanes); err != nil {
		return false, fmt.Errorf("the hash of a password does not have the expected form: %w", err)
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, err
	}
	sum := argon2.IDKey([]byte(password), salt, passes, memory, lanes, hashLength)
	fits := same(base64.RawStdEncoding.EncodeToString(sum), parts[5])
	runtime.KeepAlive(sum)
	return fits && known, nil
}

// goodPassword returns an error if a new password is too weak.
func goodPassword(password, email string) error {
	lower := strings.ToLower(password)
	name, _, _ := strings.Cut(strings.ToLower(email), "@")
	distinct := map[rune]bool{}
	for _, r := range password {
		distinct[r] = true
	}
	switch {
	case len([]rune(password)) < 12:
		return invalid("the password needs 12 characters or more; a few words work well")
	case len(password) > 1024:
		return invalid("the password has more than 1024 bytes")
	case len(distinct) < 5:
		return invalid("the password has too few different characters")
	case len(name) > 3 && strings.Contains(lower, name) && len(lower) < 2*len(name)+8, lower == strings.ToLower(email):
		return invalid("the password must not be derived from the address")
	case common(lower):
		return invalid("the password is one of the most common ones; choose another one")
	}
	return nil
}

// common reports whether a password is one of the well-known long ones, or a sequence of keys or digits.
func common(lower string) bool {
	for _, row := range []string{"01234567890123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm",
		"1q2w3e4r5t6y7u8i9o0p", "qazwsxedcrfvtgbyhnujm"} {
		if strings.Contains(row, lower) {
			return true
		}
	}
	trimmed := strings.TrimRight(lower, "0123456789!?.*#$")
	for _, word := range []string{"password", "passwort", "passw0rd", "p@ssword", "p@ssw0rd", "iloveyou", "letmein",
		"welcome", "administrator", "admin", "changeme", "taproot", "qwerty", "qwertyuiop",
		"football", "baseball", "superman", "sunshine", "princess", "passwordpassword", "adminadmin", "letmeinletmein",
		"testtesttest", "test", "hunter", "correcthorsebatterystaple"} {
		if trimmed == word {
			return true
		}
	}
	return false
}
