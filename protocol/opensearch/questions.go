package opensearch

import (
	"encoding/json"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
)

// The chat plugin knows no interrupts, but has a tool that asks the user. What a run waits for
// becomes calls of it, and their results answers.

// askUser is the plugin's tool.
const askUser = "ask_user"

// The kinds of questions begin the ids of calls: kind~interrupt.
const (
	kindApproval = "approve" // of a tool call
	kindConfirm  = "confirm"
	kindText     = "text"
	kindChoice   = "choose"
	kindChoices  = "choose-some"
)

// question holds the arguments of a call of askUser.
type question struct {
	Question      string   `json:"question"`
	Type          string   `json:"type"` // select, confirm or text
	Options       []string `json:"options,omitzero"`
	AllowFreeText bool     `json:"allowFreeText"`
}

// ask returns the call that asks about an interrupt. It returns false if the plugin has no form for
// it: interrupts of other agents may want an answer of any form.
func ask(i *agui.Interrupt) (agui.ToolCall, bool) {
	kind, q := kindText, question{Question: i.Message, Type: "text"}
	said, _ := agui.ReadMetadata(i.Metadata)
	switch {
	case said.Tool == "":
		return agui.ToolCall{}, false
	case i.Reason == "tool_call":
		kind, q.Type = kindApproval, "confirm"
		// what is approved is what was seen
		q.Question = strings.TrimSpace(i.Message + "\n\n" + said.Tool + " " + string(said.Args))
	case i.Reason == "confirmation":
		kind, q.Type = kindConfirm, "confirm"
	default:
		if form := i.AnswerForm(); form.OneOf != nil {
			kind, q.Type, q.Options = kindChoice, "select", form.OneOf
		} else if form.SomeOf != nil {
			kind, q.Type, q.Options = kindChoices, "select", form.SomeOf
		}
	}
	return agui.ToolCall{ID: kind + "~" + i.ID, Name: askUser, Arguments: string(jsonx.Marshal(q))}, true
}

// takeAnswers makes answers of the results of such calls. A client that brings its history brings
// old ones too, which the run ignores.
func takeAnswers(in *agui.RunAgentInput) {
	rest := in.Messages[:0:0]
	for _, m := range in.Messages {
		kind, id, ok := strings.Cut(m.ToolCallID, "~")
		if ok && m.Role == agui.RoleTool {
			if entry, is := answer(kind, id, m.Content.Text()); is {
				in.Resume = append(in.Resume, entry)
				continue
			}
		}
		rest = append(rest, m)
	}
	in.Messages = rest
}

// answer returns the answer in a result. One that cannot be read denies: it may be the message of
// an error.
func answer(kind, id, result string) (agui.ResumeEntry, bool) {
	var said struct {
		Answered bool
		Answer   string
	}
	if json.Unmarshal([]byte(result), &said) != nil {
		said.Answered = false
	}
	var payload any
	switch kind {
	case kindApproval:
		return resolved(id, object{"approved": said.Answered && said.Answer == "yes"}), true
	case kindConfirm:
		payload = said.Answer == "yes"
	case kindText, kindChoice:
		payload = said.Answer
	case kindChoices:
		payload = []string{said.Answer}
	default:
		return agui.ResumeEntry{}, false
	}
	if !said.Answered {
		return agui.ResumeEntry{InterruptID: id, Status: agui.ResumeCancelled}, true
	}
	return resolved(id, object{"answer": payload}), true
}

func resolved(id string, payload object) agui.ResumeEntry {
	return agui.ResumeEntry{InterruptID: id, Status: agui.ResumeResolved, Payload: jsonx.Marshal(payload)}
}
