package agui

import (
	"encoding/json"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
)

// Content is a message's content as JSON: absent (the zero value), a string, or an array of
// ContentPart. It keeps the original JSON, so history passes through without decoding.
type Content struct {
	raw json.RawMessage
	// raw is a string from a checked document or made here: no further check needed
	checked bool
}

// TextContent returns the string s as content.
func TextContent(s string) Content {
	return Content{jsonx.AppendString(make([]byte, 0, len(s)+2), s), true}
}

// PartsContent returns a list of parts as content.
func PartsContent(parts []ContentPart) Content {
	return Content{raw: appendParts(nil, parts)}
}

// ContentOf returns parts as content: as one text, on lines of their own, if they are all texts.
func ContentOf(parts []ContentPart) Content {
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		if p.Type != PartText {
			return PartsContent(parts)
		}
		texts = append(texts, p.Text)
	}
	return TextContent(strings.Join(texts, "\n"))
}

// RawContent returns the given JSON as content. It must be a valid string or array of parts; it is
// not copied.
func RawContent(raw json.RawMessage) Content { return Content{raw: raw} }

// IsZero reports whether the content is absent.
func (c Content) IsZero() bool { return c.raw == nil }

// IsText reports whether the content is a string.
func (c Content) IsText() bool { return len(c.raw) > 0 && c.raw[0] == '"' }

// Raw returns the content's JSON. The caller must not change it.
func (c Content) Raw() json.RawMessage { return c.raw }

// Text returns the string, or the texts of all text parts joined.
func (c Content) Text() string {
	if c.IsText() {
		s, _ := jsonx.Unquote(c.raw)
		return s
	}
	parts, _ := c.Parts()
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Parts returns the parts; a string is one text part.
func (c Content) Parts() ([]ContentPart, error) {
	if c.IsZero() {
		return nil, nil
	}
	if c.IsText() {
		s, err := jsonx.Unquote(c.raw)
		return []ContentPart{{Type: PartText, Text: s}}, err
	}
	return decodeParts(c.raw)
}

// SourceAt returns the source at a URL: the bytes inside if it begins with data:, or the URL
// itself. ok is false for "", and for data that is not in base64.
func SourceAt(url string) (s Source, ok bool) {
	inside, is := strings.CutPrefix(url, "data:")
	if !is {
		return Source{Type: SourceURL, Value: url}, url != ""
	}
	mimeType, value, ok := strings.Cut(inside, ";base64,")
	return Source{Type: SourceData, Value: value, MimeType: mimeType}, ok && value != ""
}

// URL is the reverse of SourceAt. It returns "" for a file that a provider holds.
func (s *Source) URL() string {
	switch s.Type {
	case SourceData:
		return "data:" + s.MimeType + ";base64," + s.Value
	case SourceURL:
		return s.Value
	}
	return ""
}

// FileName returns the name of a part's file, "" if none is told: clients of 1.0 write it to
// metadata.name, those of 0.x to metadata.filename.
func (p *ContentPart) FileName() string {
	var about struct{ Name, Filename any }
	if json.Unmarshal(p.Metadata, &about) != nil {
		return ""
	}
	for _, name := range []any{about.Name, about.Filename} {
		if name, ok := name.(string); ok && name != "" {
			return name
		}
	}
	return ""
}

// check refuses content that must not go on the wire.
func (c Content) check() error {
	if err := validate(c.raw, jsonx.Limits{}); err != nil || c.IsText() {
		return err
	}
	_, err := decodeParts(c.raw)
	return err
}
