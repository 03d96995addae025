package plan

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Needs are the files that the cases need, with absolute paths, sorted.
type Needs struct {
	Folders []string // with all their files: the suites, apps that are folders, the folders of pages
	Files   []string // elsewhere, or named by steps
	// Texts are the tests' own files by their paths, as they were read: uploaded ones are not on the disk, and a file
	// on the disk may have changed since.
	Texts map[string]string
}

// Needs returns the files of the cases, as far as they are known before a run. Read are the files that Options.Reads
// was called with.
func (p *Plan) Needs(dir string, read []string) (Needs, error) {
	folders, files, texts := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, file := range read {
		files[file] = true
	}
	for _, c := range p.Cases {
		conf, err := findConfig(c.Dir, p.options)
		if err != nil {
			return Needs{}, err
		}
		folders[c.Dir] = true
		if own := absolute(dir, c.Test.Pos.File); c.Test.Source != nil && texts[own] == "" {
			texts[own] = strings.Join(c.Test.Source.Lines, "\n")
		}
		if conf.dir != "" {
			folders[conf.dir] = true
		}
		for _, ref := range c.Test.Files() {
			file := filepath.Join(c.Dir, filepath.FromSlash(ref.Path))
			info, err := os.Stat(file)
			switch {
			case err != nil: // the step reports it
			case info.IsDir():
				folders[file] = true
			default:
				files[file] = true
				if ext := strings.ToLower(filepath.Ext(file)); ext == ".html" || ext == ".htm" { // it loads files next to it
					folders[filepath.Dir(file)] = true
				}
			}
		}
	}
	return Needs{slices.Sorted(maps.Keys(folders)), slices.Sorted(maps.Keys(files)), texts}, nil
}

func (o Options) reads(file string) {
	if o.Reads != nil {
		o.Reads(file)
	}
}
