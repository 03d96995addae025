package service

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// The purposes of an e-mail.
const (
	letterConfirm = "confirm"
	letterReset   = "reset"
)

// mailMessage is an e-mail that waits to be sent.
type mailMessage struct{ to, subject, text string }

// postbox sends e-mails in the background. Without a mailer it drops them.
type postbox struct {
	mailer Mailer
	logger *slog.Logger
	post   chan mailMessage
	posted sync.WaitGroup
}

// send queues an e-mail. It is sent in the background, so that the response takes the same time with and without one.
func (s *postbox) send(to, subject, text string) {
	if s.mailer == nil {
		return
	}
	select {
	case s.post <- mailMessage{to, subject, text}:
	default:
		s.logger.Warn("an e-mail was not sent: too many are waiting", "subject", subject)
	}
}

// sendLimit is how long sending an e-mail may take.
const sendLimit = 30 * time.Second

func (s *postbox) deliver() {
	for l := range s.post {
		ctx, cancel := context.WithTimeout(context.Background(), sendLimit)
		if err := s.mailer.Send(ctx, l.to, l.subject, l.text); err != nil {
			s.logger.Warn("an e-mail was not sent", "subject", l.subject, "error", err)
		}
		cancel()
	}
}

// addMailToken stores the token of an e-mail, and removes earlier ones for the same purpose.
func (s *Accounts) addMailToken(t *store.Tx, token, account, purpose string, good time.Duration) error {
	if _, err := t.Exec("DELETE FROM letters WHERE account = $1 AND purpose = $2", account, purpose); err != nil {
		return err
	}
	_, err := t.Exec("INSERT INTO letters (hash, account, purpose, expires) VALUES ($1, $2, $3, $4)", digest(token),
		account, purpose, store.Time(s.now().Add(good)))
	return err
}

// useMailToken returns the account of a token, which can be used once.
func (s *Accounts) useMailToken(t *store.Tx, token, purpose string) (account string, err error) {
	err = t.One("DELETE FROM letters WHERE hash = $1 AND purpose = $2 AND expires > $3 RETURNING account",
		[]any{digest(token), purpose, store.Time(s.now())}, &account)
	if errors.Is(err, store.ErrNoRow) {
		return "", invalid("the link was used already or is too old; request another one")
	}
	return account, err
}
