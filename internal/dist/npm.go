package main

import (
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// npmName is the package that people install; "taproot" alone belongs to another project. npmScope is the scope of it,
// and of the packages with a program for one platform.
const (
	npmName  = "@taproot-dev/taproot"
	npmScope = "@taproot-dev/"
)

// launcher starts the program of the platform's package.
//
//go:embed launcher.js
var launcher []byte

// npmPlatformName returns the name of the package for a platform, by Node's names of systems and processors.
func npmPlatformName(p platform) string {
	system := strings.ReplaceAll(p.system, "windows", "win32")
	return npmScope + "taproot-" + system + "-" + strings.ReplaceAll(p.arch, "amd64", "x64")
}

// manifest is a package.json.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Homepage    string            `json:"homepage"`
	Repository  map[string]string `json:"repository"`
	Bin         map[string]string `json:"bin,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Prefer      bool              `json:"preferUnplugged,omitempty"`
}

func (r *release) manifest(name, description string) manifest {
	return manifest{Name: name, Version: r.version, Description: description, License: "Apache-2.0",
		Homepage:   "https://github.com/taproot-dev/taproot",
		Repository: map[string]string{"type": "git", "url": "git+https://github.com/taproot-dev/taproot.git"}}
}

// npmPlatform writes the package with the program of one platform. npm installs it only where os and cpu are those of
// the machine.
func (r *release) npmPlatform(p platform, program []byte) error {
	m := r.manifest(npmPlatformName(p), "The program of taproot for "+p.system+" on "+p.arch)
	m.OS = []string{strings.ReplaceAll(p.system, "windows", "win32")}
	m.CPU = []string{strings.ReplaceAll(p.arch, "amd64", "x64")}
	m.Prefer = true // Yarn must not keep a program in a zip file
	return r.npmPackage(m, file{"bin/" + p.program(), program, 0o755})
}

// npmLauncher writes the package that people install. Of its optional dependencies, npm installs the one for the machine.
func (r *release) npmLauncher() error {
	m := r.manifest(npmName, "Tests of apps on phones and pages in browsers, in a few lines of YAML")
	m.Bin = map[string]string{"taproot": "bin/taproot.js"}
	m.Engines = map[string]string{"node": ">=18"}
	m.Optional = map[string]string{}
	for _, p := range platforms() {
		m.Optional[npmPlatformName(p)] = r.version
	}
	readme, err := os.ReadFile(filepath.Join(r.root, "README.md"))
	if err != nil {
		return err
	}
	return r.npmPackage(m, file{"bin/taproot.js", launcher, 0o755}, file{"README.md", readme, 0o644})
}

// npmPackage writes a package as npm pack does: a compressed tar file with everything below package/.
func (r *release) npmPackage(m manifest, files ...file) error {
	about, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return err
	}
	files = append(files, file{"package.json", append(about, '\n'), 0o644}, file{"LICENSE", license, 0o644})
	sortFiles(files)
	for i := range files {
		files[i].name = "package/" + files[i].name
	}
	data, err := tarred(files, r.date)
	if err != nil {
		return err
	}
	return r.save("npm/"+npmFile(m.Name, r.version), data)
}

// npmFile returns the name that npm pack gives to a package.
func npmFile(name, version string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + version + ".tgz"
}

func sortFiles(files []file) {
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
}
