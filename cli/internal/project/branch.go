package project

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

var plainBranch = lazyregexp.New(`^[A-Za-z][A-Za-z0-9._/-]*$`)

// mainBranch returns the main branch of the repository of a folder, as a YAML scalar: the HEAD of the remote, else main
// or master, whichever exists, else the current branch. Without a repository it returns main.
func mainBranch(dir string) string {
	name := "main"
	if git := gitFolder(dir); git != "" {
		name = branchOf(git)
	}
	if !plainBranch.MatchString(name) {
		return strconv.Quote(name)
	}
	return name
}

func branchOf(git string) string {
	if remote, ok := refOf(filepath.Join(git, "refs", "remotes", "origin", "HEAD"), "refs/remotes/origin/"); ok {
		return remote
	}
	current, _ := refOf(filepath.Join(git, "HEAD"), "refs/heads/")
	usual := []string{"main", "master"}
	if slices.Contains(usual, current) {
		return current
	}
	packed, _ := os.ReadFile(filepath.Join(git, "packed-refs")) // a repository may have none
	for _, name := range usual {
		_, err := os.Stat(filepath.Join(git, "refs", "heads", name))
		if err == nil || strings.Contains(string(packed)+"\n", " refs/heads/"+name+"\n") {
			return name
		}
	}
	if current != "" {
		return current
	}
	return "main"
}

// refOf reads a file such as .git/HEAD, "ref: refs/heads/main", and returns what follows the prefix.
func refOf(file, prefix string) (string, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	return strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(string(data), "ref:")), prefix)
}

// gitFolder returns the .git folder of the repository of a folder; "" if there is none. In a linked work tree and in a
// submodule, .git is a file that contains its path.
func gitFolder(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		git := filepath.Join(at, ".git")
		info, err := os.Stat(git)
		switch {
		case err == nil && info.IsDir():
			return git
		case err == nil:
			data, _ := os.ReadFile(git)
			to, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir:")
			if !ok {
				return ""
			}
			if to = strings.TrimSpace(to); !filepath.IsAbs(to) {
				to = filepath.Join(at, to)
			}
			if common, err := os.ReadFile(filepath.Join(to, "commondir")); err == nil {
				to = filepath.Join(to, strings.TrimSpace(string(common)))
			}
			return to
		case filepath.Dir(at) == at:
			return ""
		}
	}
}
