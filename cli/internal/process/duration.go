package process

import (
	"errors"
	"math"
	"time"

	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/internal/phrase"
)

// TimeVar adds a flag that takes 5s, 1m30s, or a number of milliseconds.
func TimeVar(flags *pflag.FlagSet, to *time.Duration, name string, usual time.Duration, usage string) {
	*to = usual
	flags.Var((*timeValue)(to), name, usage)
}

type timeValue time.Duration

func (v *timeValue) Set(text string) error {
	d, near, ok := phrase.ParseDuration(text)
	switch {
	case !ok && near != "":
		return errors.New("write " + near)
	case !ok:
		return errors.New("write 5s, 1m30s, or milliseconds")
	case d == math.MaxInt64 || d == math.MinInt64:
		return errors.New("that is too long")
	}
	*v = timeValue(d)
	return nil
}

func (v *timeValue) String() string {
	if *v == 0 {
		return "0s"
	}
	return phrase.Duration(time.Duration(*v))
}

// Type is the name that messages about a wrong value know.
func (v *timeValue) Type() string { return "duration" }
