// Package webtest serves sample pages on which a browser driver can be tried, the easy ones and the nasty ones.
package webtest
