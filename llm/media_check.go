package llm

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Attachments that can be of use to some model; texts besides.
var taken = []string{
	"image/png", "image/jpeg", "image/gif", "image/webp", "image/heic", "image/heif",
	"audio/wav", "audio/mpeg", "audio/mp4", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac", "audio/webm",
	"video/mp4", "video/mpeg", "video/quicktime", "video/mpg", "video/avi", "video/x-flv", "video/webm",
	"video/wmv", "video/3gpp",
	"application/pdf", "application/msword", "application/vnd.ms-excel",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// Check returns why an attachment should not be taken from a client: its type is of no use to any
// model, or its bytes are something else. An address is not looked at.
func (m Media) Check() error {
	bare := m.Data == "" && !strings.HasPrefix(m.URL, "data:")
	m = m.normal()
	known := slices.Contains(taken, m.MimeType) && !m.isText()
	switch {
	case !known && !m.isText() && m.MimeType != "" && !strings.HasSuffix(m.MimeType, "/octet-stream"):
		return fmt.Errorf("files of the type %s are not taken: images, audio, video, PDF, Word, Excel and text are",
			plain(m.MimeType))
	case bare:
		return nil
	case !isBase64(m.Data):
		return errors.New("it is not base64")
	case known && m.isWhatItSays() && !m.isOther():
		return nil
	}
	data, _ := base64.StdEncoding.DecodeString(m.Data)
	if _, ok := decodeText(data); ok {
		return nil
	}
	if known || m.isText() {
		return fmt.Errorf("its bytes are not what its type says, %s", plain(m.MimeType))
	}
	return errors.New("its type is missing, and its bytes are no image, PDF or text")
}

// isOther reports whether audio, video or an office document begins like something else.
func (m Media) isOther() bool {
	sniffed := m.sniffed()
	family, _, _ := strings.Cut(sniffed, "/")
	switch {
	case strings.HasPrefix(m.MimeType, "application/vnd.openxmlformats-"):
		return sniffed != "application/zip"
	case strings.HasPrefix(m.MimeType, "application/ms"), m.MimeType == "application/vnd.ms-excel":
		return !bytes.HasPrefix(m.head(sniffHead), []byte("\xd0\xcf\x11\xe0"))
	case m.Kind != "audio" && m.Kind != "video":
		return false
	}
	return family != "audio" && family != "video" && sniffed != "application/ogg" &&
		sniffed != "application/octet-stream"
}
