package upload

// Limits limit the size of an archive. Zero means the default.
type Limits struct {
	Archive int64 // bytes of the archive
	Bytes   int64 // of all files, unpacked
	File    int64 // bytes of one file
	Files   int   // files and folders
	Events  int64 // bytes of events.ndjson, which is read as a whole
	Ratio   int64 // unpacked bytes per byte of the archive
	Depth   int   // folders within folders
}

func (l *Limits) defaults() {
	for _, v := range []struct {
		to       *int64
		standard int64
	}{{&l.Archive, 512 << 20}, {&l.Bytes, 2 << 30}, {&l.File, 1 << 30}, {&l.Ratio, 200}, {&l.Events, 32 << 20}} {
		if *v.to == 0 {
			*v.to = v.standard
		}
	}
	if l.Files == 0 {
		l.Files = 20_000
	}
	if l.Depth == 0 {
		l.Depth = 16
	}
}

// Refused means that an archive is broken, hostile or not a report pack.
type Refused struct{ Why string }

func (e *Refused) Error() string { return e.Why }

// TooLarge means that an archive is beyond a limit.
type TooLarge struct{ Why string }

func (e *TooLarge) Error() string { return e.Why }
