package gemini

import "github.com/pageside/pageside/llm"

// newDialect is what the API takes. Source: its pages on function calling and on understanding
// images, audio, video and documents.
func newDialect(info llm.Info) *llm.Dialect {
	d := &llm.Dialect{UserLast: true, LetterFirst: true, MaxTools: 512, Schemas: llm.SchemaRules{Cut: cutSchema}}
	if !info.Images {
		return d
	}
	d.Media = llm.MediaRules{
		Images: []string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"},
		Audio:  []string{"audio/wav", "audio/mpeg", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac"},
		Video: []string{
			"video/mp4", "video/mpeg", "video/quicktime", "video/mpg", "video/avi", "video/x-flv", "video/webm",
			"video/wmv", "video/3gpp",
		},
		Files: llm.PDF, URLs: []string{"image", "audio", "video", "document"}, MaxImages: 3000,
	}
	return d
}
