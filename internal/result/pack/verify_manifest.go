package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
)

const manifestFile = "manifest.json"

// Manifest is manifest.json: the files of a pack when it was complete. It does not list summary.json, which is written
// after it, nor files that were added to the pack later.
type Manifest struct {
	Format string         `json:"format"`
	Files  []ManifestFile `json:"files"` // by path
}

// ManifestFile is one file of a pack.
type ManifestFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // in hex
}

// writeManifest hashes the files of the pack.
func writeManifest(root *os.Root) error {
	m := Manifest{Format: format.Manifest, Files: []ManifestFile{}}
	err := walkFiles(root, func(name string, info fs.FileInfo) error {
		if name == manifestFile || name == event.SummaryFile {
			return nil
		}
		if !info.Mode().IsRegular() {
			return nil // a link is not made by Taproot
		}
		sum, err := hashFile(root, name)
		m.Files = append(m.Files, ManifestFile{Path: name, Size: info.Size(), SHA256: sum})
		return err
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", manifestFile, err)
	}
	data, err := MarshalIndent(m)
	if err != nil {
		return err
	}
	return writeBytes(root, manifestFile, data)
}

// walkFiles calls see for every entry of the pack but directories, sorted by path; .work is left out. Links are not
// followed.
func walkFiles(root *os.Root, see func(name string, info fs.FileInfo) error) error {
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == event.WorkDir {
			return fs.SkipDir
		}
		if d.IsDir() {
			if depth(name) > maxDepth {
				return fmt.Errorf("%s: folders are nested deeper than %d", name, maxDepth)
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return see(path.Clean(name), info)
	})
}

const maxDepth = 16

func depth(name string) int {
	n := 1
	for i := range len(name) {
		if name[i] == '/' {
			n++
		}
	}
	return n
}

func hashFile(root *os.Root, name string) (string, error) {
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}
