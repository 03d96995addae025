package event

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"unicode/utf8"
)

// maxMasked is the size of the largest file, or of all files in an archive, that is searched.
const maxMasked = 64 << 20

// File removes the secrets from a file that comes from elsewhere, such as a download: a text is masked. It returns
// false for a file that contains a secret and cannot be masked, such as an archive, and for one that is too large to be
// searched: no report may keep it.
func (m *Mask) File(path string) (bool, error) {
	if m.Empty() {
		return true, nil
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxMasked {
		return false, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	if archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
		return m.archive(archive), nil
	}
	text := m.Text(string(data))
	switch {
	case text == string(data):
		return true, nil
	case !utf8.Valid(data):
		return false, nil
	}
	return true, os.WriteFile(path, []byte(text), info.Mode().Perm())
}

// archive reports whether no file in it contains a secret.
func (m *Mask) archive(archive *zip.Reader) bool {
	left := int64(maxMasked)
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			return false
		}
		data, err := io.ReadAll(io.LimitReader(r, left+1))
		_ = r.Close()
		left -= int64(len(data))
		if err != nil || left < 0 || m.Text(string(data)) != string(data) || m.Text(f.Name) != f.Name {
			return false
		}
	}
	return true
}
