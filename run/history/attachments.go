package history

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/run/refusal"
)

// checkAttachments refuses what no model can use, what is not what it says, and addresses that are
// nobody's on the internet, in the newest message. Earlier ones lose it: a client that keeps a
// message which was refused would be refused for good.
func (m *Merged) checkAttachments(sent []agui.Message) error {
	newest := ""
	for i := range sent {
		if isUser(sent[i]) {
			newest = sent[i].ID
		}
	}
	for i := range m.Messages {
		msg := &m.Messages[i]
		if !isUser(*msg) || msg.Content.IsText() {
			continue
		}
		parts, err := msg.Content.Parts()
		if err != nil {
			return err
		}
		for k := range parts {
			problem := checkAttachment(&parts[k])
			switch {
			case problem == nil:
				continue
			case msg.ID == newest:
				at := slices.IndexFunc(sent, func(s agui.Message) bool { return s.ID == msg.ID })
				field := fmt.Sprintf("messages[%d].content[%d].source", at, k)
				return refusal.Field(field, "%s: %v", field, problem)
			}
			about := llm.Media{Kind: parts[k].Type, MimeType: parts[k].Source.MimeType, Name: parts[k].FileName()}
			parts[k] = agui.ContentPart{Type: agui.PartText, Text: llm.NotShown(about, "since "+problem.Error())}
			msg.Content = agui.PartsContent(parts)
		}
	}
	return nil
}

// checkAttachment returns why a part is not taken.
func checkAttachment(p *agui.ContentPart) error {
	if p.Source == nil || p.Source.Type == agui.SourceFile {
		return nil
	}
	m := llm.Media{Kind: p.Type, MimeType: p.Source.MimeType, Name: p.FileName()}
	if p.Source.Type == agui.SourceData {
		m.Data = p.Source.Value
		return m.Check()
	}
	if m.URL = p.Source.Value; strings.HasPrefix(m.URL, "data:") {
		return m.Check()
	}
	u, err := url.Parse(m.URL)
	if err != nil {
		return errors.New("it is no address")
	}
	if refused, ok := errors.AsType[*egress.Error](egress.CheckPublic(u)); ok {
		return fmt.Errorf("its address is not allowed: %s", refused.Reason)
	}
	return m.Check()
}
