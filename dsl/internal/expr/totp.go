package expr

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
)

const (
	totpName = "totp"       // as expressions call it
	codeName = "value:totp" // in place of it, so that a variable may have the same name
)

// codes computes the one-time codes of expressions.
type codes struct {
	now  func() time.Time        // nil: the clock of this machine
	hide func(secrets ...string) // nil: nothing is hidden
}

// HideCodes makes hide receive each one-time code that an expression computes, and the secret of the code.
func (s *Scope) HideCodes(hide func(secrets ...string)) { s.codes.hide = hide }

// ComputesCode reports whether an expression computes a one-time code.
func (e Expr) ComputesCode() bool {
	var n exprNames
	return strings.Contains(e.Text, totpName) && n.read(e) && len(n.codes) > 0
}

// options are the options of the expression library for the function totp.
func (c codes) options() []expr.Option {
	return []expr.Option{expr.Patch(codePatch{}), expr.Function(codeName,
		func(args ...any) (any, error) { return c.code(Show(args[0])) }, new(func(any) string))}
}

// codePatch replaces calls of totp by those of codeName.
type codePatch struct{}

// Visit is called for each node.
func (codePatch) Visit(node *ast.Node) {
	if n, is := (*node).(*ast.CallNode); is && callsCode(n) {
		n.Callee = &ast.IdentifierNode{Value: codeName}
	}
}

func callsCode(n *ast.CallNode) bool {
	name, is := n.Callee.(*ast.IdentifierNode)
	return is && name.Value == totpName
}

// code is the one-time code of RFC 6238 for a secret: text in base32, or an otpauth URL, as a QR code contains it.
// Its errors do not contain the secret.
func (c codes) code(secret string) (string, error) {
	now := time.Now
	if c.now != nil {
		now = c.now
	}
	key, opts, err := keyOf(secret)
	if err != nil {
		return "", err
	}
	code, err := totp.GenerateCodeCustom(key, now(), opts)
	if err != nil {
		return "", errors.New("the secret of totp is not in base32, which consists of A to Z and 2 to 7")
	}
	if c.hide != nil {
		c.hide(strings.TrimSpace(secret), strings.ToUpper(key), strings.ToLower(key), code)
	}
	return code, nil
}

// keyOf reads a secret as people copy it: in groups, in small letters, with or without padding.
func keyOf(secret string) (key string, opts totp.ValidateOpts, err error) {
	opts = totp.ValidateOpts{Period: 30, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}
	key = secret
	if strings.HasPrefix(secret, "otpauth:") {
		url, err := otp.NewKeyFromURL(secret)
		if err != nil || url.Type() != "totp" {
			return "", opts, errors.New("totp takes a URL that starts with otpauth://totp/")
		}
		period, digits := url.Period(), url.Digits()
		if period < 1 || period > 3600 || !slices.Contains([]otp.Digits{6, 7, 8}, digits) {
			return "", opts, errors.New("the URL of totp has a period that is not 1 to 3600 seconds, or not 6 to 8 digits")
		}
		key, opts.Period, opts.Digits, opts.Algorithm = url.Secret(), uint(period), digits, url.Algorithm()
	}
	key = strings.TrimRight(strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '\t' || r == '\n' || r == '\u00a0' {
			return -1
		}
		return r
	}, key), "=")
	if key == "" {
		return "", opts, errors.New("the secret of totp is empty")
	}
	return key, opts, nil
}
