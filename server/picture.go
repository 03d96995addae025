package server

import (
	"bytes"
	"image"
	"strings"
)

// pictureFile makes a picture a file of an answer.
func pictureFile(picture image.Image, name string) (OutcomeFile, error) {
	var body bytes.Buffer
	if err := encode(&body, picture, "png"); err != nil {
		return OutcomeFile{}, err
	}
	name = strings.Map(func(r rune) rune {
		if isControl(r) || strings.ContainsRune(`/\:`, r) {
			return '-'
		}
		return r
	}, cut(name, 100))
	return OutcomeFile{Name: name + ".png", Type: "image/png", Size: int64(body.Len()), Data: body.Bytes()}, nil
}
