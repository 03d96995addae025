package source

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// The limits keep hostile files cheap: the YAML library needs quadratic time for some shapes of input, each of which
// stays under a second within these.
const (
	MaxBytes  = 1 << 20
	maxLines  = 20_000
	maxBlank  = 1_000 // blank lines in a row
	maxOpen   = 2_000 // brackets open at the same time, wherever they are
	MaxDepth  = 100   // nested lists and maps
	MaxValues = 20_000
	maxTokens = 5 * MaxValues
	longLine  = 500
	nearby    = 2_000 // characters in which a part of a value is looked for
)

// Readable makes the text that the YAML library reads: bytes without byte order mark, with \n as the only line break.
// The Source shows the same lines. The error is the first thing that keeps the file from being read at all.
func Readable(file string, src []byte) (string, *Source, *Error) {
	source := &Source{File: file}
	whole := func(msg, hint string) (string, *Source, *Error) {
		return "", source, &Error{Pos: Pos{File: file, Line: 1, Col: 1}, Msg: msg, Hint: hint}
	}
	if len(src) > MaxBytes {
		return whole(fmt.Sprintf("the file is too large: %d bytes", len(src)),
			"a test file holds at most 1 MiB (1048576 bytes); split it")
	}
	if bytes.HasPrefix(src, []byte{0xff, 0xfe}) || bytes.HasPrefix(src, []byte{0xfe, 0xff}) {
		return whole("the file is in UTF-16", "save it as UTF-8")
	}
	text := strings.TrimPrefix(string(src), "\ufeff")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	source.Lines = strings.Split(text, "\n")
	if len(source.Lines) > maxLines {
		return whole(fmt.Sprintf("the file has too many lines: %d", len(source.Lines)),
			fmt.Sprintf("a test file holds at most %d lines; split it", maxLines))
	}
	for i, line := range source.Lines {
		if len(line) > longLine {
			if source.long == nil {
				source.long = map[int][]rune{}
			}
			source.long[i+1] = []rune(line)
		}
	}
	if e := badText(source); e != nil {
		return "", source, e
	}
	return text, source, nil
}

// badText finds the first place with bytes or a layout that are refused before the text is parsed as YAML.
func badText(source *Source) *Error {
	blank, open := 0, 0
	for i, line := range source.Lines {
		at := func(col int, msg, hint string) *Error {
			return &Error{Pos: Pos{File: source.File, Line: i + 1, Col: col}, Msg: msg, Hint: hint, Source: source}
		}
		if col, msg, hint := badCharacter(line); msg != "" {
			return at(col, msg, hint)
		}
		blank++
		if strings.TrimSpace(line) != "" {
			blank = 0
		}
		if blank > maxBlank {
			return at(1, fmt.Sprintf("more than %d blank lines in a row", maxBlank), "remove them")
		}
		open = max(0, open+strings.Count(line, "[")+strings.Count(line, "{")-
			strings.Count(line, "]")-strings.Count(line, "}"))
		if open > maxOpen {
			return at(1, fmt.Sprintf("more than %d brackets are open here", maxOpen), "close them with ] or }")
		}
	}
	return nil
}

// badCharacter finds a byte that is not UTF-8 or a character that YAML forbids.
func badCharacter(line string) (col int, msg, hint string) {
	col = 0
	for i, r := range line {
		col++
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(line[i:]); size == 1 {
				return col, fmt.Sprintf("the byte 0x%02x is not UTF-8", line[i]), "save the file as UTF-8"
			}
		}
		switch {
		case r == 0:
			return col, "a NUL byte in the text", "is this a text file? Remove the byte"
		case r < 0x20 && r != '\t', r == 0x7f, r >= 0x80 && r < 0xa0 && r != 0x85, r == 0xfffe, r == 0xffff:
			return col, fmt.Sprintf("a control character (U+%04X) in the text", r),
				fmt.Sprintf(`remove it, or write it as "\u%04x" in double quotes`, r)
		}
	}
	return 0, "", ""
}

// tooDeep returns the token at which lists and maps are nested deeper than the limit: before the library's parser,
// which recurses, sees them. Their columns define block levels.
func tooDeep(tokens token.Tokens) *token.Token {
	flow := 0
	var columns []int
	for _, t := range tokens {
		col := 0
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(0, flow-1)
		case token.SequenceEntryType, token.MappingKeyType:
			col = t.Position.Column
		case token.MappingValueType:
			col = t.Position.Column
			if t.Prev != nil && t.Prev.Position.Line == t.Position.Line {
				col = t.Prev.Position.Column
			}
		}
		if col > 0 && flow == 0 {
			for len(columns) > 0 && columns[len(columns)-1] > col {
				columns = columns[:len(columns)-1]
			}
			if len(columns) == 0 || columns[len(columns)-1] < col {
				columns = append(columns, col)
			}
		}
		if flow+len(columns) > MaxDepth {
			return t
		}
	}
	return nil
}
