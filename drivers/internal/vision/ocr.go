package vision

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

// readTime bounds one reading; a crowded screen on a busy machine takes some seconds.
const readTime = time.Minute

// maxTSV bounds what tesseract may print: 400 bytes a word, and no screen shows ten thousand.
const maxTSV = 4 << 20

// Reader reads text with tesseract. Safe for concurrent use. Make one with NewReader.
type Reader struct {
	langs string
	find  func() (string, error)
}

// NewReader returns a reader for an environment: TAPROOT_OCR_LANGS names the languages ("eng+deu"), TAPROOT_TESSERACT
// the program. Tesseract is looked for at the first reading.
func NewReader(getenv func(string) string) *Reader {
	return &Reader{langs: cmp.Or(getenv("TAPROOT_OCR_LANGS"), "eng"), find: sync.OnceValues(func() (string, error) {
		host := toolchain.NewHost(getenv, os.Environ())
		found, err := toolchain.Find(context.Background(), host, toolchain.Tesseract)
		if err != nil {
			return "", err
		}
		if !found.OK() {
			return "", &drivers.Unavailable{What: "tesseract, which reads text in images, cannot be used: " + found.Problem,
				Fix: found.Advice}
		}
		return found.Path, nil
	})}
}

// languages are those of a TAPROOT_OCR_LANGS that can be an argument.
var languages = lazyregexp.New(`^[A-Za-z0-9_]+(\+[A-Za-z0-9_]+)*$`)

// Read returns the text on an image, line by line, in reading order. A missing tesseract is a *drivers.Unavailable.
func (r *Reader) Read(ctx context.Context, img image.Image) ([]drivers.TextLine, error) {
	if !languages.MatchString(r.langs) {
		return nil, fmt.Errorf("TAPROOT_OCR_LANGS=%q: write languages of tesseract with plus signs, such as eng+deu", r.langs)
	}
	program, err := r.find()
	if err != nil {
		return nil, err
	}
	size := img.Bounds().Size()
	if size.X < 4 || size.Y < 4 {
		return nil, nil
	}
	page := flatten(toRGBA(img))
	ink := unframe(page, blobs(page))
	large := enlarge(page)
	words, err := r.words(ctx, program, large.gray, sparse)
	if err != nil {
		return nil, err
	}
	first := lines(words, large.scale, size)
	left := unread(rows(ink), first, large.scale)
	if len(left) == 0 {
		return uncut(first, ink), nil
	}
	sheet := newSheet(page, left)
	if words, err = r.words(ctx, program, sheet.gray, block); err != nil {
		return nil, err
	}
	return uncut(merge(first, certain(lines(sheet.back(words), 1, size))), ink), nil
}

// How tesseract splits an image.
const (
	sparse = "11" // a screen is not a page of a book, and single characters count
	block  = "6"  // lines below each other
)

// words reads one image.
func (r *Reader) words(ctx context.Context, program string, picture *image.Gray, layout string) ([]tsvWord, error) {
	tsv, err := r.run(ctx, program, pgm(picture), layout)
	if err != nil {
		return nil, err
	}
	return parseTSV(tsv)
}

// run starts tesseract on one image.
func (r *Reader) run(ctx context.Context, program string, picture []byte, layout string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "stdin", "stdout", "--psm", layout, "--dpi", "150", "-l", r.langs, "tsv")
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1") // its threads wait for each other more than they help
	cmd.Stdin = bytes.NewReader(picture)
	cmd.WaitDelay = 2 * time.Second
	out, said := &capped{max: maxTSV}, &capped{max: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, said
	err := cmd.Run()
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("tesseract did not finish within %s", readTime)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case strings.Contains(said.String(), "Failed loading language"): // it continues with those that it has
		return nil, &drivers.Unavailable{What: fmt.Sprintf("tesseract lacks a language of TAPROOT_OCR_LANGS=%q: %s", r.langs,
			oneLine(said.String())),
			Fix: "install its data, such as the package tesseract-ocr-deu for deu; `tesseract --list-langs` lists which " +
				"there are"}
	case err != nil:
		return nil, fmt.Errorf("tesseract: %w: %s", err, oneLine(said.String()))
	}
	return out.Bytes(), nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// capped keeps the beginning of what is written to it.
type capped struct {
	bytes.Buffer
	max int
}

func (c *capped) Write(p []byte) (int, error) {
	if room := c.max - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
