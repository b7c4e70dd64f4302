package anthropic

import "github.com/pageside/pageside/llm"

// newDialect is what the Messages API takes. Source: its reference of tools, and the pages on
// vision and PDF support.
func newDialect(info llm.Info) *llm.Dialect {
	d := &llm.Dialect{UserLast: true, Schemas: llm.SchemaRules{PlainNames: true}}
	if info.Images {
		d.Media = llm.MediaRules{
			Images: llm.WebImages, Files: llm.PDF, URLs: []string{"image", "document"}, MaxImages: 100,
		}
	}
	return d
}
