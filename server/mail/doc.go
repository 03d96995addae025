// Package mail sends the e-mails of the service through an SMTP server. The code is in server/internal/mail; this is
// what other folders need of it.
package mail
