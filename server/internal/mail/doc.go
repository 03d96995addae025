// Package mail sends the e-mails of the service through an SMTP server.
package mail
