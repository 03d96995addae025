package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is one file of an archive.
type file struct {
	name string
	data []byte
	mode int64
}

// sum is the checksum of a file of the release.
type sum struct{ name, hex string }

// save writes a file of the release, and notes its checksum.
func (r *release) save(name string, data []byte) error {
	to := filepath.Join(r.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	r.sums = append(r.sums, sum{name, fmt.Sprintf("%x", sha256.Sum256(data))})
	return os.WriteFile(to, data, 0o644)
}

// checksums writes checksums.txt, in the format of sha256sum.
func (r *release) checksums() error {
	slices.SortFunc(r.sums, func(a, b sum) int { return strings.Compare(a.name, b.name) })
	var b strings.Builder
	for _, s := range r.sums {
		fmt.Fprintf(&b, "%s  %s\n", s.hex, s.name)
	}
	return os.WriteFile(filepath.Join(r.out, "checksums.txt"), []byte(b.String()), 0o644)
}

// archive writes the program with its texts: a zip file for Windows, a compressed tar file elsewhere. The names have no
// version, so that releases/latest/download/NAME is a URL that stays.
func (r *release) archive(p platform, program []byte) error {
	files := []file{{p.program(), program, 0o755}}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return err
		}
		files = append(files, file{name, data, 0o644})
	}
	if p.system == "windows" {
		data, err := zipped(files, r.date)
		return errors.Join(err, r.save("taproot_"+p.String()+".zip", data))
	}
	data, err := tarred(files, r.date)
	return errors.Join(err, r.save("taproot_"+p.String()+".tar.gz", data))
}

// tarred returns a compressed tar file, with an entry for each folder whose name ends with a slash.
func tarred(files []file, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	zip, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	out := tar.NewWriter(zip)
	for _, f := range files {
		h := tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: date, Uname: "root", Gname: "root",
			Format: tar.FormatGNU}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := out.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := out.Write(f.data); err != nil {
			return nil, err
		}
	}
	err = errors.Join(out.Close(), zip.Close())
	return b.Bytes(), err
}

func zipped(files []file, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for _, f := range files {
		h := zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		h.SetMode(os.FileMode(f.mode))
		w, err := out.CreateHeader(&h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := out.Close()
	return b.Bytes(), err
}

// folders adds the folders above files, as packages of Debian list them.
func folders(files []file) []file {
	var all []file
	made := map[string]bool{".": true, "./": true}
	for _, f := range files {
		var above []string
		for dir := path.Dir(f.name); !made["./"+dir+"/"] && dir != "."; dir = path.Dir(dir) {
			made["./"+dir+"/"] = true
			above = append(above, dir)
		}
		slices.Reverse(above)
		for _, dir := range above {
			all = append(all, file{"./" + dir + "/", nil, 0o755})
		}
		f.name = "./" + f.name
		all = append(all, f)
	}
	return all
}

// control is the description of the Debian package. A version such as 0.1.0-rc.1 sorts before 0.1.0 when it is written
// with a tilde.
const control = `Package: taproot
Version: %s
Section: devel
Priority: optional
Architecture: %s
Maintainer: Taproot <taproot-dev@users.noreply.github.com>
Installed-Size: %d
Recommends: adb, ca-certificates, chromium | chromium-browser | google-chrome-stable, ffmpeg, nodejs, tesseract-ocr
Homepage: https://github.com/taproot-dev/taproot
Description: tests what runs on phones and in browsers
 Tests written in a few lines of YAML, on Android, iOS and Chromium, with a
 report of each.
`

// debian writes the Debian package of a platform.
func (r *release) debian(p platform, program []byte) error {
	files := []file{{"usr/bin/taproot", program, 0o755}}
	for from, to := range map[string]string{
		"LICENSE":                     "usr/share/doc/taproot/copyright",
		"docs/deploy/taproot.service": "usr/share/doc/taproot/examples/taproot.service",
	} {
		data, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(from)))
		if err != nil {
			return err
		}
		files = append(files, file{to, data, 0o644})
	}
	sortFiles(files)
	var sums strings.Builder
	size := 0
	for _, f := range files {
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), f.name)
		size += len(f.data)
	}
	about := fmt.Sprintf(control, strings.Replace(r.version, "-", "~", 1), p.arch, (size+1023)/1024)
	inner, err := tarred([]file{{"./", nil, 0o755}, {"./control", []byte(about), 0o644},
		{"./md5sums", []byte(sums.String()), 0o644}}, r.date)
	data, err2 := tarred(append([]file{{"./", nil, 0o755}}, folders(files)...), r.date)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, part := range []file{{"debian-binary", []byte("2.0\n"), 0}, {"control.tar.gz", inner, 0},
		{"data.tar.gz", data, 0}} {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", part.name, r.date.Unix(), 0, 0, "100644", len(part.data))
		b.Write(part.data)
		if len(part.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return r.save("taproot_"+p.String()+".deb", b.Bytes())
}
