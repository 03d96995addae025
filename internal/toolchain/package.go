package toolchain

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"
)

// driverTimeout limits playwright-go's own installer, since many networks block its servers.
const driverTimeout = 30 * time.Second

// FetchDriver runs playwright-go's own installer. It cannot be cancelled, so a caller that needs a limit runs it in a
// process of its own.
func FetchDriver(dir string) error {
	driver, err := playwright.NewDriver(&playwright.RunOptions{DriverDirectory: dir, SkipInstallBrowsers: true})
	if err != nil {
		return err
	}
	return driver.Install()
}

func (in Installer) installDriver(ctx context.Context) error {
	node, err := Find(ctx, in.Host, Node)
	if err != nil {
		return err
	}
	if !node.OK() {
		return errors.New("it needs Node, which is missing")
	}
	err = in.place(in.Host.driverDir(), func(dir string) error {
		in.say("installing the Playwright driver %s into %s", DriverVersion, in.Host.driverDir())
		if err := in.fetchPackage(ctx, "playwright-core", dir); err != nil {
			return err
		}
		return in.verifyDriver(ctx, node.Path, dir)
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	in.say("the npm registry did not have it (%v); trying playwright-go's installer", err)
	other := in.place(in.Host.driverDir(), func(dir string) error {
		bounded, cancel := context.WithTimeout(ctx, driverTimeout)
		defer cancel()
		if err := in.FetchDriver(bounded, dir); err != nil {
			return err
		}
		return in.verifyDriver(ctx, node.Path, dir)
	})
	if other == nil || ctx.Err() != nil {
		return other
	}
	return fmt.Errorf("%w; playwright-go's installer: %s", err, reason(other))
}

func (in Installer) verifyDriver(ctx context.Context, node, dir string) error {
	out, err := in.Host.Run(ctx, Command{Path: node, Args: []string{filepath.Join(dir, "package", "cli.js"), "--version"}})
	if err != nil {
		return fmt.Errorf("start the new driver: %w%s", err, firstLine(out))
	}
	if want := "Version " + DriverVersion; strings.TrimSpace(string(out)) != want {
		return fmt.Errorf("the new driver is another version%s, not %q", firstLine(out), want)
	}
	return nil
}

// installNode downloads Node's program from the npm registry. It is for machines without a package of it; the package
// manager has run before.
func (in Installer) installNode(ctx context.Context) error {
	name, err := nodePackage(in.Host)
	if err != nil {
		return err
	}
	t, err := toolNamed(Node)
	if err != nil {
		return err
	}
	return in.place(in.Host.nodeDir(), func(dir string) error {
		in.say("installing Node %s into %s", nodeVersion, in.Host.nodeDir())
		if err := in.fetchPackage(ctx, name, dir); err != nil {
			return err
		}
		f := probe(ctx, in.Host, t, filepath.Join(dir, "package", "bin", in.Host.executable("node")))
		if f.Problem != "" {
			return fmt.Errorf("the new Node: %s", f.Problem)
		}
		return nil
	})
}

// installNPM downloads npm from the registry, as a script that runs it with the Node that was found. It is for machines
// with a Node of Taproot, which has no npm.
func (in Installer) installNPM(ctx context.Context) error {
	node, err := Find(ctx, in.Host, Node)
	if err != nil {
		return err
	}
	if !node.OK() {
		return errors.New("it needs Node, which is missing")
	}
	return in.place(in.Host.npmDir(), func(dir string) error {
		in.say("installing npm %s into %s", npmVersion, in.Host.npmDir())
		if err := in.fetchPackage(ctx, "npm", dir); err != nil {
			return err
		}
		// npm starts the scripts of packages with the node on PATH.
		script := "#!/bin/sh\nPATH=" + quote(filepath.Dir(node.Path)) + ":$PATH\nexport PATH\nexec " + quote(node.Path) +
			" \"$(dirname \"$0\")/package/bin/npm-cli.js\" \"$@\"\n"
		return os.WriteFile(filepath.Join(dir, "npm"), []byte(script), 0o755)
	})
}

// quote writes a word for a shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// hasNodeArchive reports whether the npm registry has a Node that runs here. Its builds for Linux need glibc, which
// Alpine does not have.
func (in Installer) hasNodeArchive() bool {
	name, err := nodePackage(in.Host)
	if err != nil {
		return false
	}
	_, err = in.Host.LookPath("apk")
	_, known := in.archiveNamed(name)
	return known && err != nil
}

// nodePackage returns the npm package with Node's program for this machine.
func nodePackage(h Host) (string, error) {
	arch, known := map[string]string{"amd64": "x64", "arm64": "arm64"}[h.GOARCH]
	if !known || h.GOOS != "linux" && h.GOOS != "darwin" {
		return "", fmt.Errorf("npm has no Node for %s/%s", h.GOOS, h.GOARCH)
	}
	return "node-" + h.GOOS + "-" + arch, nil
}

// installChromium installs Playwright's own build, for systems without a package of a Chromium that starts.
func (in Installer) installChromium(ctx context.Context) error {
	node, err := Find(ctx, in.Host, Node)
	if err != nil {
		return err
	}
	driver, err := Find(ctx, in.Host, Driver)
	if err != nil {
		return err
	}
	if !node.OK() || !driver.OK() {
		return errors.New("it needs Node and the Playwright driver, which are missing")
	}
	words := []string{node.Path, filepath.Join(driver.Path, "package", "cli.js"), "install"}
	// Playwright knows the libraries that its Chromium needs by apt's names only.
	if m, _, found := findManager(in.Host); found && m.program == "apt-get" {
		if _, ok := in.elevate(m); ok {
			words = append(words, "--with-deps")
		}
	}
	return in.run(ctx, append(words, "chromium"))
}

// fetchPackage unpacks an npm package into dir. If the registry cannot be reached directly, it uses npm, if installed.
func (in Installer) fetchPackage(ctx context.Context, name, dir string) error {
	a, known := in.archiveNamed(name)
	if !known {
		return fmt.Errorf("the npm registry has no %s", name)
	}
	err := in.fetchArchive(ctx, a, dir)
	if err == nil || ctx.Err() != nil {
		return err
	}
	npm, missing := in.Host.LookPath("npm")
	if missing != nil {
		return fmt.Errorf("%w (where the registry is a mirror, name it in npm_config_registry)", err)
	}
	in.say("%v; asking npm", err)
	return in.packWithNPM(ctx, npm, a, dir)
}

// packWithNPM downloads the package with npm; its digest is compared as well.
func (in Installer) packWithNPM(ctx context.Context, npm string, a archive, dir string) error {
	spec := a.name + "@" + a.version
	download, err := os.MkdirTemp(filepath.Dir(dir), ".npm-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(download)
	if err := in.run(ctx, []string{npm, "pack", spec, "--loglevel=error", "--ignore-scripts", "--pack-destination",
		download}); err != nil {
		return err
	}
	archives, err := filepath.Glob(filepath.Join(escapeGlob(download), "*.tgz"))
	if err != nil {
		return err
	}
	if len(archives) != 1 {
		return fmt.Errorf("npm pack %s left %d archives", spec, len(archives))
	}
	raw, err := os.ReadFile(archives[0])
	if err != nil {
		return err
	}
	if digest := sha512.Sum512(raw); base64.StdEncoding.EncodeToString(digest[:]) != a.sha512 {
		return fmt.Errorf("npm pack %s: it is another file than the one that was published", spec)
	}
	return unpack(archives[0], dir)
}

// place lets fill write into a temporary folder, and renames that to dir on success, so that no process sees an
// incomplete installation. The caller holds the lock.
func (in Installer) place(dir string, fill func(aside string) error) error {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	// left by an earlier process that was killed
	left, err := filepath.Glob(filepath.Join(escapeGlob(parent), ".*"))
	if err != nil {
		return err
	}
	for _, path := range left {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	aside, err := os.MkdirTemp(parent, ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(aside)
	if err := fill(aside); err != nil {
		return err
	}
	old := aside + "-old"
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	defer os.RemoveAll(old)
	return os.Rename(aside, dir)
}

// reason shortens an error that may list every mirror.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no end within " + driverTimeout.String()
	}
	text := strings.TrimSpace(err.Error())
	return text[strings.LastIndexByte(text, '\n')+1:]
}
