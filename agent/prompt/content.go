package prompt

import (
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
)

// textOf returns a content as text; ok is false if it has none.
func textOf(c agui.Content) (text llm.Text, ok bool) {
	if c.IsText() {
		return llm.Text{Quoted: c.Raw()}, len(c.Raw()) > len(`""`)
	}
	s := c.Text()
	return llm.Text{Text: s}, s != ""
}

// nothingSaid stands for a message without a word: providers refuse a request that ends with none.
const nothingSaid = "(The user sent an empty message.)"

// isBlank reports whether content is nothing but white space.
func isBlank(content []llm.Content) bool {
	const most = 1 << 10 // bytes of white space that somebody sends
	for _, c := range content {
		text, ok := c.(llm.Text)
		if !ok || len(text.Quoted) > most || strings.TrimSpace(text.String()) != "" {
			return false
		}
	}
	return true
}

func (w *transcript) userContent(c agui.Content) []llm.Content {
	if c.IsText() || c.IsZero() {
		if text, ok := textOf(c); ok {
			return []llm.Content{text}
		}
		return nil
	}
	parts, _ := c.Parts() // unreadable parts were refused with the request
	var content []llm.Content
	for i := range parts {
		p := userPart(&parts[i], w.view.Model)
		if m, ok := p.(llm.Media); ok && w.view.WithoutMedia {
			p, _ = m.Unsent(refusedMedia)
		}
		if p != nil {
			content = append(content, p)
		}
	}
	return content
}

// refusedMedia explains to the model why attachments are missing after the provider may have
// refused them.
const refusedMedia = "since the provider refused the request with it"

// userPart returns a part, or a text that mentions it if the model cannot take it.
func userPart(p *agui.ContentPart, model llm.Info) llm.Content {
	switch {
	case p.Type == agui.PartText && p.Text == "":
		return nil
	case p.Type == agui.PartText:
		return llm.Text{Text: p.Text}
	case p.Source == nil:
		return llm.Text{Text: llm.NotShown(llm.Media{Kind: p.Type, Name: p.FileName()}, "")}
	}
	m := llm.Media{Kind: p.Type, MimeType: p.Source.MimeType, Name: p.FileName()}
	switch {
	case p.Source.Type == agui.SourceFile, p.Type == agui.PartImage && !model.Images && !m.IsText():
		return llm.Text{Text: llm.NotShown(m, "")}
	case p.Source.Type == agui.SourceURL:
		m.URL = p.Source.Value
	default:
		m.Data = p.Source.Value
	}
	return m
}
