package pack

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/format"
)

const (
	uploadsFile = "uploads.json"
	maxUploads  = 16 << 20
)

// ReadUploads returns which packs of a run were uploaded, from uploads.json of the run. That file is not a part of any
// pack.
func ReadUploads(runDir string) ([]Uploaded, error) {
	root, err := os.OpenRoot(runDir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", uploadsFile, err)
	}
	defer root.Close() // nothing was written
	data, err := filetree.ReadCapped(root, uploadsFile, maxUploads)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var file UploadsFile
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil && json.Unmarshal(data, &file.Uploads) == nil { // before the file had a format it was a list
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", uploadsFile, err)
	}
	return file.Uploads, format.Check(uploadsFile, file.Format, format.Uploads)
}

// UploadsFile is uploads.json.
type UploadsFile struct {
	Format  string     `json:"format"`
	Uploads []Uploaded `json:"uploads"`
}

// NoteUpload adds a pack to uploads.json of its run. It replaces an earlier entry of the same pack and host.
func NoteUpload(runDir string, done Uploaded) error {
	list, err := ReadUploads(runDir)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(u Uploaded) bool { return u.Pack == done.Pack && u.Host == done.Host })
	data, err := MarshalIndent(UploadsFile{Format: format.Uploads, Uploads: append(list, done)})
	if err != nil {
		return err
	}
	return filetree.WriteFile(runDir, uploadsFile, data)
}
