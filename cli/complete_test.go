package cli_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// completionProject is a lab with tests to complete, and two phones.
func completionProject(t *testing.T) *lab {
	t.Helper()
	l := newLab(t, 2)
	l.write("shop.yaml", "id: shop-buy\nplatform: android\ntags: [smoke, slow]\nsteps:\n  - tap: Buy\n")
	l.write("login.yml", "id: login\nplatform: web\nsteps:\n  - openBrowser: https://example.com\n")
	return l
}

// completions are command lines with an unfinished last word, and the completions that shells should offer.
func completions(l *lab) []struct{ line, want string } {
	var phones []string
	for _, p := range l.phones {
		phones = append(phones, p.Serial())
	}
	slices.Sort(phones)
	return []struct{ line, want string }{
		{"taproot run ", "login shop-buy"},
		{"taproot run sh", "shop-buy"},
		{"taproot validate log", "login"},
		{"taproot run --tag ", "slow smoke"},
		{"taproot run --platform a", "android"},
		{"taproot run --device " + phones[0][:3], strings.Join(phones, " ")},
		{"taproot vali", "validate"},
		{"taproot completion ", "bash fish powershell zsh"},
	}
}

// offered parses the completions of a shell: the first words of its lines, without files.
func offered(out string) string {
	var words []string
	for line := range strings.Lines(out) {
		word, _, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if word = strings.TrimSpace(word); word != "" && !strings.HasSuffix(word, ".yaml") &&
			!strings.HasSuffix(word, ".yml") {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// Completion in bash offers ids, tags, devices and platforms. The function replaces one of the package bash-completion.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	l := completionProject(t)
	for _, c := range completions(l) {
		e := l.start("bash", "--norc", "-c", `
_get_comp_words_by_ref() { cur=${COMP_WORDS[COMP_CWORD]}; prev=${COMP_WORDS[COMP_CWORD-1]}; `+
			`words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; }
__ltrim_colon_completions() { :; }
compopt() { :; }
source <(taproot completion bash) || exit 1
read -ra COMP_WORDS <<< "$1"
case $1 in *' ') COMP_WORDS+=("");; esac
COMP_CWORD=$((${#COMP_WORDS[@]}-1)) COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
__start_taproot
printf '%s\n' "${COMPREPLY[@]}"`, "bash", c.line).wait()
		e.exits(t, 0)
		if got := offered(e.stdout); got != c.want {
			t.Errorf("%q: %q is offered, want %q", c.line, got, c.want)
		}
	}
}

// Completion in fish.
func TestCompletionInFish(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("fish"); err != nil {
		t.Skip("fish is not installed")
	}
	l := completionProject(t)
	l.env = append(l.env, "HOME="+l.tmp, "XDG_CONFIG_HOME="+l.tmp, "XDG_DATA_HOME="+l.tmp)
	for _, c := range completions(l) {
		e := l.start("fish", "--no-config", "-c", "taproot completion fish | source; complete -C $argv[1]", c.line).wait()
		e.exits(t, 0)
		if got := offered(e.stdout); got != c.want {
			t.Errorf("%q: %q is offered, want %q", c.line, got, c.want)
		}
	}
}

// Completion in zsh, typed on a terminal: the tab key completes the word.
func TestCompletionInZsh(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("zsh"); err != nil {
		t.Skip("zsh is not installed")
	}
	l := completionProject(t)
	l.env = append(l.env, "HOME="+l.tmp, "TERM=dumb")
	for typed, want := range map[string]string{"taproot run sh": "shop-buy", "taproot run --tag sm": "smoke",
		"taproot run --platform an": "android", "taproot valid": "validate"} {
		e := l.start("zsh", "-f", "-c", `
zmodload zsh/zpty
mkdir -p fns && taproot completion zsh > fns/_taproot
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=($PWD/fns \$fpath); autoload -Uz compinit; compinit -u -D; echo READ''Y"
zpty -r -m shell out '*READY*' || exit 1
zpty -n -w shell "$1"$'\t'
zpty -r -m shell out "*$2*" || exit 1
zpty -d shell`, "zsh", typed, want).wait()
		e.exits(t, 0)
	}
}

// A script for PowerShell is printed.
func TestCompletionForPowerShell(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	e := l.taproot("completion", "powershell")
	e.exits(t, 0)
	has(t, "the script", e.stdout, "Register-ArgumentCompleter", "taproot")
}
