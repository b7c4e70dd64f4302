package bedrock

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// builder puts the messages together. Bedrock wants user and assistant in turn, beginning with the
// user, and no text that is blank.
type builder struct {
	model    *Model
	textual  bool // calls and results are told in words
	messages []types.Message
	question int               // the message of the newest question
	names    map[string]string // of the calls told in words
	attached int               // documents so far: each needs a name of its own
}

func (b *builder) message(m llm.Message) {
	switch m.Role {
	case llm.RoleAssistant:
		b.add(types.ConversationRoleAssistant, b.assistant(m.Content))
	case llm.RoleTool:
		b.add(types.ConversationRoleUser, b.results(m.Content))
	default:
		blocks := b.user(m.Content)
		if len(blocks) == 0 {
			return
		}
		b.add(types.ConversationRoleUser, blocks)
		b.question = len(b.messages) - 1
	}
}

// add appends to the last message where that is of the same role.
func (b *builder) add(role types.ConversationRole, blocks []types.ContentBlock) {
	if len(blocks) == 0 {
		return
	}
	last := len(b.messages) - 1
	if last >= 0 && b.messages[last].Role == role {
		b.messages[last].Content = append(b.messages[last].Content, blocks...)
		return
	}
	if last < 0 && role != types.ConversationRoleUser {
		b.messages = append(b.messages, types.Message{
			Role: types.ConversationRoleUser, Content: text(httpmodel.LeftOut),
		})
	}
	b.messages = append(b.messages, types.Message{Role: role, Content: blocks})
}

// finish sets the cache points: behind everything, for the next step, and behind what is before the
// newest question, for the next run.
func (b *builder) finish() []types.Message {
	if b.model.family.Cache {
		last := len(b.messages) - 1
		b.point(last)
		for i := min(b.question, last) - 1; i >= 0; i-- {
			if b.point(i) {
				break
			}
		}
	}
	return b.messages
}

// point sets a cache point in a message of the user: at its end, or before documents there that the
// service turns into text, right behind which it refuses one. It reports whether there was a place.
func (b *builder) point(i int) bool {
	if i < 0 || b.messages[i].Role != types.ConversationRoleUser {
		return false
	}
	content := b.messages[i].Content
	at := len(content)
	for at > 0 && extracted(content[at-1]) {
		at--
	}
	if at == 0 {
		return false
	}
	point := &types.ContentBlockMemberCachePoint{Value: types.CachePointBlock{Type: types.CachePointTypeDefault}}
	b.messages[i].Content = slices.Insert(content, at, types.ContentBlock(point))
	return true
}

// extracted reports whether a block is a document that the service turns into text. Models read PDF
// themselves.
func extracted(block types.ContentBlock) bool {
	doc, ok := block.(*types.ContentBlockMemberDocument)
	return ok && doc.Value.Format != types.DocumentFormatPdf
}

// text is a block of text, none where that is blank.
func text(s string) []types.ContentBlock {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return []types.ContentBlock{&types.ContentBlockMemberText{Value: s}}
}

func (b *builder) assistant(content []llm.Content) (blocks []types.ContentBlock) {
	for _, c := range content {
		switch c := c.(type) {
		case llm.Text:
			blocks = append(blocks, text(c.String())...)
		case llm.Reasoning:
			if t := b.model.thought(c); t != nil && !b.textual {
				blocks = append(blocks, t)
			}
		case llm.ToolCall:
			blocks = append(blocks, b.call(c)...)
		}
	}
	return dropLastThoughts(blocks)
}

// dropLastThoughts removes reasoning that led to nothing: a message may not end with it.
func dropLastThoughts(blocks []types.ContentBlock) []types.ContentBlock {
	for len(blocks) > 0 {
		if _, thought := blocks[len(blocks)-1].(*types.ContentBlockMemberReasoningContent); !thought {
			break
		}
		blocks = blocks[:len(blocks)-1]
	}
	return blocks
}

func (b *builder) call(c llm.ToolCall) []types.ContentBlock {
	if b.textual {
		if b.names == nil {
			b.names = map[string]string{}
		}
		b.names[c.ID] = c.Name
		return text("[The tool " + c.Name + " was called with " + httpmodel.Arguments(c.Args) + "]")
	}
	use := types.ToolUseBlock{
		ToolUseId: aws.String(c.ID), Name: aws.String(c.Name), Input: raw([]byte(httpmodel.Arguments(c.Args))),
	}
	return []types.ContentBlock{&types.ContentBlockMemberToolUse{Value: use}}
}

func (b *builder) results(content []llm.Content) (blocks []types.ContentBlock) {
	for r := range llm.Only[llm.ToolResult](content) {
		said := r.Content.String()
		if strings.TrimSpace(said) == "" {
			said = "(empty)"
		}
		if b.textual {
			blocks = append(blocks, text("[The tool "+b.names[r.ID]+" answered: "+said+"]")...)
			continue
		}
		result := types.ToolResultBlock{
			ToolUseId: aws.String(r.ID),
			Content:   []types.ToolResultContentBlock{&types.ToolResultContentBlockMemberText{Value: said}},
		}
		if r.IsError {
			result.Status = types.ToolResultStatusError
		}
		blocks = append(blocks, &types.ContentBlockMemberToolResult{Value: result})
	}
	return blocks
}

func (b *builder) user(content []llm.Content) (blocks []types.ContentBlock) {
	said, attached := false, false
	for _, c := range content {
		switch c := c.(type) {
		case llm.Text:
			t := text(c.String())
			said = said || len(t) > 0
			blocks = append(blocks, t...)
		case llm.Media:
			attached = true
			blocks = append(blocks, b.media(c)...)
		}
	}
	if attached && !said { // a document alone is refused
		blocks = append(blocks, text("(The user attached this without a word.)")...)
	}
	return blocks
}

// media sends an image or a document: what is neither has become text before.
func (b *builder) media(m llm.Media) []types.ContentBlock {
	data, err := base64.StdEncoding.DecodeString(m.Data)
	if err != nil {
		return text(llm.NotShown(m, ""))
	}
	if format, ok := images[m.MimeType]; ok {
		image := types.ImageBlock{Format: format, Source: &types.ImageSourceMemberBytes{Value: data}}
		return []types.ContentBlock{&types.ContentBlockMemberImage{Value: image}}
	}
	b.attached++
	name := "attachment " + strconv.Itoa(b.attached)
	doc := types.DocumentBlock{
		Format: documents[m.MimeType], Name: &name, Source: &types.DocumentSourceMemberBytes{Value: data},
	}
	blocks := []types.ContentBlock{&types.ContentBlockMemberDocument{Value: doc}}
	if m.Name != "" { // the service takes few characters in a document's name
		blocks = append(text("[The user calls "+name+" “"+m.Name+"”.]"), blocks...)
	}
	return blocks
}
