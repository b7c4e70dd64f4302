package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"
)

// Anchor is the head of a chain as it was at some time, kept outside the store. A chain alone does
// not show that its end was cut off.
type Anchor struct {
	Time   time.Time `json:"time"`
	Tenant string    `json:"tenant"`
	Day    string    `json:"day"`
	Seq    int64     `json:"seq"`
	Hash   Hash      `json:"hash"`
}

// anchorMark is the type that every line of anchors begins with, to find it among other output.
const anchorMark = "pageside.audit.anchor"

// Line returns the anchor as a line of JSON.
func (a Anchor) Line() []byte {
	line, _ := json.Marshal(struct { // strings, numbers and a time: cannot fail
		Type string `json:"type"`
		Anchor
	}{anchorMark, a})
	return append(line, '\n')
}

// ReadAnchors reads anchors from lines, and skips lines that are not anchors, such as those of a
// log. unread counts anchors that cannot be read: a crash may leave half a line.
func ReadAnchors(r io.Reader) (anchors []Anchor, unread int, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if !bytes.Contains(lines.Bytes(), []byte(anchorMark)) {
			continue
		}
		var a struct {
			Type string `json:"type"`
			Anchor
		}
		if json.Unmarshal(lines.Bytes(), &a) != nil || a.Type != anchorMark || a.Seq < 1 {
			unread++
			continue
		}
		anchors = append(anchors, a.Anchor)
	}
	return anchors, unread, lines.Err()
}

// appendSynced appends lines to a file and syncs it. It opens the file each time, so that it can be
// rotated. Half a line that a crash has left is ended first.
func appendSynced(path string, lines []byte) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if info, err := file.Stat(); err == nil && info.Size() > 0 {
		last := make([]byte, 1)
		if _, err := file.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	_, err = file.Write(lines)
	return errors.Join(err, file.Sync(), file.Close())
}
