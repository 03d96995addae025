package process

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// The groups of commands in the help.
const (
	GroupTests   = "tests"
	GroupSession = "session"
	GroupTouch   = "touch"
	GroupCheck   = "check"
	GroupDevice  = "device"
	GroupOwn     = "own" // own actions of the project
	GroupPage    = "page"
	GroupServe   = "serve"
)

// Meant returns a suggestion for a mistyped word, or "".
func Meant(word string, names []string) string {
	if near := dsl.Suggest(word, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

func CommandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(append(names, c.Name()), c.Aliases...)
		}
	}
	return names
}

// settingKey is the annotation of a flag with the name of its setting.
const settingKey = "taproot_setting"

// Annotate notes the settings that set flags, by the names of the flags. An unknown flag is a mistake of the caller.
func Annotate(flags *pflag.FlagSet, settings map[string]string) {
	for name, setting := range settings {
		if err := flags.SetAnnotation(name, settingKey, []string{setting}); err != nil {
			panic(err)
		}
	}
}

// SettingOf returns the setting of a flag; "" if it has none.
func SettingOf(f *pflag.Flag) string {
	if list := f.Annotations[settingKey]; len(list) == 1 {
		return list[0]
	}
	return ""
}

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
