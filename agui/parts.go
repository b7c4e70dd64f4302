package agui

import (
	"encoding/json"

	"github.com/pageside/pageside/internal/jsonx"
)

// The types of a ContentPart.
const (
	PartText     = "text"
	PartImage    = "image"
	PartAudio    = "audio"
	PartVideo    = "video"
	PartDocument = "document"
)

// The types of a Source.
const (
	SourceData = "data"
	SourceURL  = "url"
	SourceFile = "file"
)

func appendParts(dst []byte, parts []ContentPart) []byte {
	dst = append(dst, '[')
	for i := range parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendPart(dst, &parts[i])
	}
	return append(dst, ']')
}

func appendPart(dst []byte, p *ContentPart) []byte {
	dst = append(dst, `{"type":`...)
	dst = jsonx.AppendString(dst, p.Type)
	if p.ID != "" {
		dst = append(dst, `,"id":`...)
		dst = jsonx.AppendString(dst, p.ID)
	}
	if p.Type == PartText {
		dst = append(dst, `,"text":`...)
		dst = jsonx.AppendString(dst, p.Text)
	}
	if p.Source != nil {
		dst = append(dst, `,"source":`...)
		dst = appendSource(dst, p.Source)
	}
	if p.Metadata != nil {
		dst = append(dst, `,"metadata":`...)
		dst = append(dst, p.Metadata...)
	}
	return append(dst, '}')
}

func appendSource(dst []byte, s *Source) []byte {
	dst = append(dst, `{"type":`...)
	dst = jsonx.AppendString(dst, s.Type)
	dst = append(dst, `,"value":`...)
	dst = jsonx.AppendString(dst, s.Value)
	if s.MimeType != "" {
		dst = append(dst, `,"mimeType":`...)
		dst = jsonx.AppendString(dst, s.MimeType)
	}
	if s.Provider != "" {
		dst = append(dst, `,"provider":`...)
		dst = jsonx.AppendString(dst, s.Provider)
	}
	return append(dst, '}')
}

func decodeParts(raw []byte) ([]ContentPart, error) {
	var parts []ContentPart
	err := json.Unmarshal(raw, &parts)
	return parts, err
}
