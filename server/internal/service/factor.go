package service

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"github.com/taproot-dev/taproot/internal/store"
)

// Factor is a second factor that is to be set up.
type Factor struct {
	Secret string `json:"secret" doc:"To be typed into an app for codes."`
	URL    string `json:"url" doc:"The same as otpauth://…, to be shown as a QR code."`
}

const recoveryCodes = 10

// NewFactor makes a second factor. EnableFactor activates it.
func (p *Person) NewFactor(ctx context.Context, password string) (Factor, error) {
	if err := p.confirmPassword(ctx, password); err != nil {
		return Factor{}, err
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Taproot", AccountName: p.Account.Email})
	if err != nil {
		return Factor{}, err
	}
	n, err := p.s.db.Exec(ctx, "UPDATE accounts SET totp = $1, totp_step = 0 WHERE id = $2 AND totp_on = 0",
		p.s.encrypt([]byte(key.Secret()), "totp "+p.Account.ID), p.Account.ID)
	if err == nil && n == 0 {
		err = conflict("the account has a second factor already; turn it off first")
	}
	return Factor{key.Secret(), key.URL()}, err
}

// EnableFactor activates the second factor with a code that proves that the app has it. It returns the recovery codes,
// which cannot be read again; each can be used once.
func (p *Person) EnableFactor(ctx context.Context, code string) (recovery []string, err error) {
	var sealed string
	if err := p.s.db.One(ctx, "SELECT totp FROM accounts WHERE id = $1 AND totp_on = 0", []any{p.Account.ID},
		&sealed); err != nil || sealed == "" {
		return nil, conflict("create a new second factor first")
	}
	ok, err := p.s.totpFits(ctx, p.Account.ID, sealed, code)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, invalid("the code is wrong; check whether the clock of the phone is right")
	}
	for range recoveryCodes {
		text := strings.ToLower(rand.Text()[:24]) // 120 bits: cannot be found from its hash
		recovery = append(recovery, strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:16], text[16:20],
			text[20:]}, "-"))
	}
	err = p.s.db.Write(ctx, func(t *store.Tx) error {
		if _, err := t.Exec("UPDATE accounts SET totp_on = 1 WHERE id = $1", p.Account.ID); err != nil {
			return err
		}
		if _, err := t.Exec("DELETE FROM recovery_codes WHERE account = $1", p.Account.ID); err != nil {
			return err
		}
		for _, c := range recovery {
			if _, err := t.Exec("INSERT INTO recovery_codes (account, hash) VALUES ($1, $2)", p.Account.ID,
				digest(p.Account.ID+" "+c)); err != nil {
				return err
			}
		}
		if _, err := t.Exec("DELETE FROM sessions WHERE account = $1 AND id <> $2", p.Account.ID, p.Session); err != nil {
			return err
		}
		return p.note(t, "account.factor.on", p.Account.ID)
	})
	p.Account.TwoFactor = err == nil
	return recovery, err
}

// DisableFactor turns the second factor off.
func (p *Person) DisableFactor(ctx context.Context, password, code string) error {
	if err := p.confirmPassword(ctx, password); err != nil {
		return err
	}
	var sealed string
	if err := p.s.db.One(ctx, "SELECT totp FROM accounts WHERE id = $1", []any{p.Account.ID}, &sealed); err != nil {
		return err
	}
	ok, err := p.s.secondFactor(ctx, p.Account.ID, sealed, code)
	if err != nil {
		return err
	}
	if !ok {
		return forbidden("the code is wrong")
	}
	err = p.s.db.Write(ctx, func(t *store.Tx) error {
		if _, err := t.Exec("UPDATE accounts SET totp = '', totp_on = 0, totp_step = 0 WHERE id = $1",
			p.Account.ID); err != nil {
			return err
		}
		if _, err := t.Exec("DELETE FROM recovery_codes WHERE account = $1", p.Account.ID); err != nil {
			return err
		}
		return p.note(t, "account.factor.off", p.Account.ID)
	})
	p.Account.TwoFactor = p.Account.TwoFactor && err != nil
	return err
}

// secondFactor checks a code of the app, or a recovery code; either can be used once.
func (s *Accounts) secondFactor(ctx context.Context, account, sealed, code string) (bool, error) {
	code = strings.ToLower(strings.TrimSpace(code))
	if len(code) < 16 {
		return s.totpFits(ctx, account, sealed, code)
	}
	n, err := s.db.Exec(ctx, "DELETE FROM recovery_codes WHERE account = $1 AND hash = $2", account,
		digest(account+" "+code))
	return n == 1, err
}

// totpPeriod is how long a code lasts. The codes before and after it are accepted, too, since clocks differ.
const totpPeriod = 30

// totpFits checks a code of the app. It accepts no code twice, and none older than an accepted one.
func (s *Accounts) totpFits(ctx context.Context, account, sealed, code string) (bool, error) {
	if len(code) != 6 {
		return false, nil
	}
	secret, err := s.decrypt(sealed, "totp "+account)
	if err != nil {
		return false, err
	}
	now := s.now()
	for _, shift := range []int64{0, -1, 1} {
		at := now.Add(time.Duration(shift*totpPeriod) * time.Second)
		fits, err := totp.ValidateCustom(code, string(secret), at, totp.ValidateOpts{Period: totpPeriod,
			Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err != nil || !fits {
			continue
		}
		n, err := s.db.Exec(ctx, "UPDATE accounts SET totp_step = $1 WHERE id = $2 AND totp_step < $1", at.Unix()/totpPeriod,
			account)
		return n == 1, err
	}
	return false, nil
}
