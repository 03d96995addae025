// Package mail sends the letters of the service: the address of an SMTP server goes in, what sends letters through it
// comes out.
package mail
