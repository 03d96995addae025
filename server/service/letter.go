package service

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/server/service/store"
)

// What a letter is for.
const (
	letterConfirm = "confirm"
	letterReset   = "reset"
)

// letter is one that waits to be sent.
type letter struct{ to, subject, text string }

// send hands a letter over; it is sent in the background, so that the answer takes the same time whether there is one
// or not.
func (s *Service) send(to, subject, text string) {
	if s.o.Mail == nil {
		return
	}
	select {
	case s.post <- letter{to, subject, text}:
	default:
		s.log.Warn("a letter was not sent: too many wait", "subject", subject)
	}
}

// sendLimit is how long one letter may take.
const sendLimit = 30 * time.Second

func (s *Service) deliver() {
	for l := range s.post {
		ctx, cancel := context.WithTimeout(context.Background(), sendLimit)
		if err := s.o.Mail.Send(ctx, l.to, l.subject, l.text); err != nil {
			s.log.Warn("a letter was not sent", "subject", l.subject, "error", err)
		}
		cancel()
	}
}

// addLetter notes the token of a letter; earlier ones for the same are void.
func (s *Service) addLetter(t *store.Tx, token, account, purpose string, good time.Duration) error {
	if _, err := t.Exec("DELETE FROM letters WHERE account = $1 AND purpose = $2", account, purpose); err != nil {
		return err
	}
	_, err := t.Exec("INSERT INTO letters (hash, account, purpose, expires) VALUES ($1, $2, $3, $4)", digest(token),
		account, purpose, store.Time(s.now().Add(good)))
	return err
}

// takeLetter gives the account of a token, which is good once.
func (s *Service) takeLetter(t *store.Tx, token, purpose string) (account string, err error) {
	err = t.One("DELETE FROM letters WHERE hash = $1 AND purpose = $2 AND expires > $3 RETURNING account",
		[]any{digest(token), purpose, store.Time(s.now())}, &account)
	if errors.Is(err, store.ErrNoRow) {
		return "", invalid("the link is used up or too old; ask for another one")
	}
	return account, err
}
