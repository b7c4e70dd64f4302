package agui

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

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

// partBinary is the part of 0.x that 1.0 split into the media parts.
const partBinary = "binary"

var binaryType = []string{partBinary}

// appendParts writes parts unchecked. Errors are found when the content is put on the wire.
func appendParts(dst []byte, parts []ContentPart) []byte {
	c := codec{mode: writing, dst: dst}
	c.writeList(len(parts), func(i int) {
		c.object(&parts[i])
		c.err = nil
	})
	return c.dst
}

func decodeParts(raw json.RawMessage) ([]ContentPart, error) {
	c := codec{mode: reading}
	c.in.Data = raw
	if k := c.in.Kind(); k != jsonx.Array {
		return nil, fieldError("", "must be a string or an array of parts, got "+k.String())
	}
	var parts []ContentPart
	for c.in.Enter(); c.err == nil && c.in.More(); {
		var p ContentPart
		if c.object(&p); c.err != nil {
			return nil, under(jsonx.Index(len(parts)), c.err)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// content is a message's content, kept as JSON: text or, if parts is true, an array of parts.
func (c *codec) content(name string, p *Content, r rule, parts bool) {
	if c.mode == writing {
		c.writeContent(name, *p, r, parts)
		return
	}
	if !c.wants(name, r) {
		return
	}
	switch k := c.in.Kind(); {
	case k == jsonx.String:
		*p = Content{c.keep(c.in.Raw()), true}
	case k == jsonx.Array && parts:
		*p = Content{raw: c.keep(c.contentParts())}
		c.nest(name)
	case parts:
		c.failIn(name, "must be a string or an array of parts, got "+k.String())
	default:
		c.failIn(name, "must be a string, got "+k.String())
	}
}

func (c *codec) writeContent(name string, p Content, r rule, parts bool) {
	if p.IsZero() {
		if r&required != 0 {
			c.failIn(name, "is required")
		}
		return
	}
	if !p.IsText() && !parts {
		c.failIn(name, "must be a string")
		return
	}
	if !p.checked {
		if err := p.check(); err != nil {
			c.err = under(name, err)
			return
		}
	}
	c.begin(name)
	c.dst = appendLine(c.dst, p.raw)
}

// keep returns raw, or a copy if the input is not kept.
func (c *codec) keep(raw json.RawMessage) json.RawMessage {
	if c.own {
		return bytes.Clone(raw)
	}
	return raw
}

// contentParts checks the next array of parts and returns it unchanged, or rewritten if it has 0.x
// parts.
func (c *codec) contentParts() json.RawMessage {
	start := c.in.Pos
	legacy := false
	n := 0
	p := new(ContentPart)
	for c.in.Enter(); c.err == nil && c.in.More(); n++ {
		if c.kind("type", binaryType) == partBinary {
			legacy = true
			c.binaryPart()
		} else {
			c.check = true
			c.object(p)
			c.check = false
		}
		c.nest(jsonx.Index(n))
	}
	raw := c.in.Data[start:c.in.Pos:c.in.Pos]
	if !legacy || c.err != nil {
		return raw
	}
	return upgradeParts(raw)
}

// binaryPart is the retired part of 0.x: bytes or a URL of any media type.
type binaryPart struct {
	mimeType, id, url, data, filename string
}

func (b *binaryPart) fields(c *codec) {
	c.constant("type", partBinary, required)
	c.str("mimeType", &b.mimeType, required)
	c.str("id", &b.id, optional)
	c.str("url", &b.url, optional)
	c.str("data", &b.data, optional)
	c.str("filename", &b.filename, optional)
}

// binaryPart reads a retired part and converts it to 1.0 as the stock client does.
func (c *codec) binaryPart() ContentPart {
	var b binaryPart
	c.object(&b)
	p := ContentPart{
		Type: mediaType(b.mimeType), Source: &Source{Type: SourceData, Value: b.data, MimeType: b.mimeType},
	}
	switch {
	case b.data != "":
	case b.url != "":
		p.Source.Type, p.Source.Value = SourceURL, b.url
	default:
		c.fail("a binary part must have data or a url")
	}
	if b.filename != "" {
		p.Metadata = append(jsonx.AppendString([]byte(`{"filename":`), b.filename), '}')
	}
	return p
}

// ownParts returns the parts without files that a provider holds, which 0.x does not know.
func (c Content) ownParts() []ContentPart {
	parts, _ := c.Parts() // checked when the message was read
	return slices.DeleteFunc(parts, func(p ContentPart) bool {
		return p.Source != nil && p.Source.Type == SourceFile
	})
}

// Binary returns content for a client of 0.x that knows no parts of 1.0: its media are retired
// parts. Those that a provider holds are left out.
func (c Content) Binary() Content {
	parts := c.ownParts()
	if c.IsText() || len(parts) == 0 {
		return TextContent(c.Text())
	}
	w := codec{mode: writing}
	w.writeList(len(parts), func(i int) {
		p := &parts[i]
		if p.Source == nil {
			w.object(p)
			return
		}
		b := binaryPart{mimeType: p.Source.MimeType, filename: p.FileName()}
		if p.Source.Type == SourceData {
			b.data = p.Source.Value
		} else {
			b.url = p.Source.Value
		}
		w.object(&b)
	})
	return Content{raw: w.dst, checked: true}
}

func mediaType(mimeType string) string {
	for _, t := range []string{PartImage, PartAudio, PartVideo} {
		if strings.HasPrefix(mimeType, t+"/") {
			return t
		}
	}
	return PartDocument
}

// upgradeParts rewrites the binary parts of a checked array. It drops one that only repeats a
// modern part of the array: some clients send both forms.
func upgradeParts(raw json.RawMessage) json.RawMessage {
	c := codec{mode: reading}
	c.in.Data = raw
	var parts []ContentPart
	var legacy []bool
	for c.in.Enter(); c.in.More(); {
		old := c.kind("type", binaryType) == partBinary
		var p ContentPart
		if old {
			p = c.binaryPart()
		} else {
			c.object(&p)
		}
		parts, legacy = append(parts, p), append(legacy, old)
	}
	modern := make(map[medium]bool)
	for i := range parts {
		if !legacy[i] && parts[i].Source != nil {
			m := mediumOf(&parts[i])
			modern[m] = true
			m.filename = ""
			modern[m] = true
		}
	}
	kept := make([]ContentPart, 0, len(parts))
	for i := range parts {
		if !legacy[i] || !modern[mediumOf(&parts[i])] {
			kept = append(kept, parts[i])
		}
	}
	return appendParts(nil, kept)
}

// medium identifies media parts with the same content.
type medium struct {
	kind     string
	source   Source
	filename string // its JSON; "" if none
}

func mediumOf(p *ContentPart) medium {
	return medium{p.Type, *p.Source, string(jsonx.Find(p.Metadata, "filename"))}
}
