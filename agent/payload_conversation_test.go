package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/test/must"
)

// cardSetup is what a conversation says about cards, suggestions and instructions.
type cardSetup struct {
	Payloads []struct {
		Name, Description, Source, Marker, Schema, Instructions string
		// Parse wraps the data in {"parsed": …}
		Global, Parse bool
	}
	Transport string   // tool: the model writes cards as arguments
	Scope     []string // stored instructions
	Client    []string // the page's
	Describe  string   // the output of the page's context builder, %v being the values
	Guide     string   // the instructions of the page's context builder
}

func (s *cardSetup) payloads(t *testing.T) *payload.Registry {
	t.Helper()
	var list []*payload.Type
	for _, p := range s.Payloads {
		typ := &payload.Type{
			Name: p.Name, Description: p.Description, Source: payload.Source(p.Source), Marker: p.Marker, Instructions: p.Instructions, Global: p.Global,
			Schema: json.RawMessage(p.Schema),
		}
		if p.Parse {
			typ.Parse = func(raw json.RawMessage) (json.RawMessage, error) {
				return append(append(json.RawMessage(`{"parsed":`), raw...), '}'), nil
			}
		}
		list = append(list, typ)
	}
	return must.Get(payload.NewRegistry(list...))(t)
}

// described gives the pages a context builder.
func (s *setup) described() []page.Page {
	for i := range s.Pages {
		if s.Describe != "" || s.Guide != "" {
			s.Pages[i].Context = func(_ page.Place, values map[string]any) (page.Built, error) {
				built := page.Built{Instructions: s.Guide}
				if s.Describe != "" {
					built.Data = fmt.Sprintf(s.Describe, values)
				}
				return built, nil
			}
		}
	}
	return s.Pages
}

func (c *conversation) configureCards(s *setup) {
	c.input.Instructions, c.input.ClientInstructions = s.Scope, s.Client
	if s.Transport != "" {
		c.fake.info = fakeInfo
		c.fake.info.Payloads = llm.PayloadTransport(s.Transport)
	}
}

// payload is nil where the tool returns none.
func (s *toolSetup) payload() any {
	if s.Payload == "" {
		return nil
	}
	return json.RawMessage(s.Payload)
}

func showThread(thread []agui.Message) string {
	var b strings.Builder
	for i := range thread {
		line, err := agui.MarshalMessage(thread[i])
		if err != nil {
			return err.Error()
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// nextPrompt is what the next run tells the model of the thread, once the calls that wait are
// answered.
func (c *conversation) nextPrompt(pending []string) []llm.Message {
	thread := c.out.transcript.Messages()
	for _, id := range pending {
		thread = append(thread, agui.Message{Role: agui.RoleTool, ToolCallID: id, Content: agui.TextContent("done")})
	}
	view := prompt.View{Model: c.agent.Model.Info(), Payloads: c.agent.Pages.Payloads(), MaxResult: c.agent.Limits.effective().ResultBytes}
	return prompt.Build(prompt.Thread{History: thread}, view).Messages()
}

// isRepair reports whether a request asks for a card to be written again: it is part of no thread.
func isRepair(r *llm.Request) bool {
	last := r.Messages[len(r.Messages)-1]
	text, ok := last.Content[0].(llm.Text)
	return ok && strings.HasPrefix(text.Text, "The card ") && last.Role == llm.RoleUser
}
