package bedrock

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/pageside/pageside/llm"
)

var images = map[string]types.ImageFormat{
	"image/png": types.ImageFormatPng, "image/jpeg": types.ImageFormatJpeg, "image/gif": types.ImageFormatGif,
	"image/webp": types.ImageFormatWebp,
}

// documents are those that are not text.
var documents = map[string]types.DocumentFormat{
	"application/pdf": types.DocumentFormatPdf, "application/msword": types.DocumentFormatDoc,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": types.DocumentFormatDocx,
	"application/vnd.ms-excel": types.DocumentFormatXls,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": types.DocumentFormatXlsx,
}

// newDialect is what the Converse API takes of a model's requests: bytes, and never an address.
// Source: its reference, the table of what the models support, and Nova's page on tools.
func newDialect(f family, info llm.Info) *llm.Dialect {
	d := &llm.Dialect{UserLast: true, Schemas: llm.SchemaRules{PlainNames: true, BareRoot: f.maker() == "amazon"}}
	if info.Images {
		d.Media.Images, d.Media.MaxImages = llm.WebImages, 20
	}
	if info.PDF {
		d.Media.MaxFiles = 5
		for mimeType := range documents {
			d.Media.Files = append(d.Media.Files, mimeType)
		}
	}
	return d
}

// reads reports whether the models of a family can be shown documents.
func (f family) reads() bool {
	if f.Prefix == "amazon.nova-micro" {
		return false
	}
	makers := []string{
		"anthropic.", "amazon.", "cohere.command-r", "deepseek.r1", "meta.llama", "mistral.", "ai21.jamba",
	}
	return f.Prefix != "" && slices.ContainsFunc(makers, func(m string) bool { return strings.HasPrefix(f.Prefix, m) })
}
