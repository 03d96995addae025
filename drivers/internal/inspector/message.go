package inspector

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"howett.net/plist"
)

// maxMessage is the most that a message may have: a page of many elements is a few megabytes.
const maxMessage = 64 << 20

// The keys of messages. WebKit calls them WIR…, in Source/JavaScriptCore/inspector/remote/cocoa.
const (
	keyApp        = "WIRApplicationIdentifierKey"
	keyBundle     = "WIRApplicationBundleIdentifierKey"
	keyHost       = "WIRHostApplicationIdentifierKey"
	keyApps       = "WIRApplicationDictionaryKey"
	keyConnection = "WIRConnectionIdentifierKey"
	keyListing    = "WIRListingKey"
	keyPage       = "WIRPageIdentifierKey"
	keyType       = "WIRTypeKey"
	keyTitle      = "WIRTitleKey"
	keyURL        = "WIRURLKey"
	keySender     = "WIRSenderKey"
	keyDest       = "WIRDestinationKey"
	keySocketData = "WIRSocketDataKey"
	keyData       = "WIRMessageDataKey"
	keyDataType   = "WIRMessageDataTypeKey"
	keyChunks     = "WIRMessageDataTypeChunkSupportedKey"
	keyPause      = "WIRAutomaticallyPause"
	keyPart       = "WIRPartialMessageKey"
	keyLast       = "WIRFinalMessageKey"
)

// Message is one message of either side: what is requested or reported, "_rpc_reportIdentifier:", and its argument.
type Message struct {
	Selector string         `plist:"__selector"`
	Argument map[string]any `plist:"__argument"`
}

// Write sends a message: a binary property list after its length, four bytes with the highest first.
func Write(w io.Writer, m Message) error {
	body, err := plist.Marshal(m, plist.BinaryFormat)
	if err != nil {
		return err
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
	return err
}

// Read reads the next message. One that comes in parts is put together.
func Read(r io.Reader) (Message, error) {
	var parts []byte
	for {
		body, err := readBody(r)
		if err != nil {
			return Message{}, err
		}
		var envelope map[string]any
		if _, err := plist.Unmarshal(body, &envelope); err != nil {
			return Message{}, fmt.Errorf("a message of %d bytes is not a property list: %w", len(body), err)
		}
		part, more := envelope[keyPart].([]byte)
		last, done := envelope[keyLast].([]byte)
		if !more && !done {
			return messageOf(envelope), nil
		}
		if parts = append(append(parts, part...), last...); len(parts) > maxMessage {
			return Message{}, errors.New("the parts of a message are too many")
		}
		if !done {
			continue
		}
		clear(envelope)
		if _, err := plist.Unmarshal(parts, &envelope); err != nil {
			return Message{}, fmt.Errorf("the parts of a message are not a property list: %w", err)
		}
		return messageOf(envelope), nil
	}
}

func messageOf(envelope map[string]any) Message {
	m := Message{Selector: text(envelope, "__selector")}
	m.Argument, _ = envelope["__argument"].(map[string]any)
	return m
}

func readBody(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxMessage {
		return nil, fmt.Errorf("a message says that it has %d bytes", n)
	}
	body := make([]byte, n)
	_, err := io.ReadFull(r, body)
	return body, err
}

func text(of map[string]any, key string) string {
	s, _ := of[key].(string)
	return s
}

// number reads a whole number, which property lists hold in several forms; 0 where there is none.
func number(of map[string]any, key string) int {
	switch n := of[key].(type) {
	case uint64:
		return int(n)
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return 0
}

// bytesOf reads data, which some systems give as text.
func bytesOf(of map[string]any, key string) []byte {
	switch data := of[key].(type) {
	case []byte:
		return data
	case string:
		return []byte(data)
	}
	return nil
}
