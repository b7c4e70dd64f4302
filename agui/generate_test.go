package agui

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/internal/jsonx"
	_ "github.com/pageside/pageside/test/chance"
)

// Generators of random values of everything that travels.

var eventTypes = []EventType{
	TypeRunStarted, TypeRunFinished, TypeRunError, TypeStepStarted, TypeStepFinished,
	TypeTextMessageStart, TypeTextMessageContent, TypeTextMessageEnd, TypeTextMessageChunk,
	TypeToolCallStart, TypeToolCallArgs, TypeToolCallEnd, TypeToolCallChunk, TypeToolCallResult,
	TypeStateSnapshot, TypeStateDelta, TypeMessagesSnapshot, TypeActivitySnapshot, TypeActivityDelta, TypeRaw, TypeCustom,
	TypeReasoningStart, TypeReasoningEnd, TypeReasoningMessageStart, TypeReasoningMessageContent, TypeReasoningMessageEnd,
	TypeReasoningMessageChunk, TypeReasoningEncryptedValue, TypeSubagentStarted, TypeSubagentFinished, TypeSubagentError,
}

// text is any string that survives: no U+0000.
func text(t *rapid.T) string {
	return strings.ReplaceAll(rapid.StringN(0, 12, 40).Draw(t, "text"), "\x00", "")
}

func texts(t *rapid.T) []string {
	list := make([]string, rapid.IntRange(0, 3).Draw(t, "len"))
	for i := range list {
		list[i] = text(t)
	}
	return list
}

func anyJSON(t *rapid.T) json.RawMessage { return appendJSON(t, nil, 3) }

func object(t *rapid.T) json.RawMessage { return appendObject(t, nil, 2) }

func appendJSON(t *rapid.T, dst []byte, depth int) []byte {
	switch rapid.IntRange(0, 3+2*min(depth, 1)).Draw(t, "kind") {
	case 0:
		return append(dst, rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word")...)
	case 1:
		return append(dst, rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number")...)
	case 2, 3:
		return jsonx.AppendString(dst, text(t))
	case 4:
		dst = append(dst, '[')
		for i := range rapid.IntRange(0, 3).Draw(t, "len") {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendJSON(t, dst, depth-1)
		}
		return append(dst, ']')
	}
	return appendObject(t, dst, depth)
}

func appendObject(t *rapid.T, dst []byte, depth int) []byte {
	dst = append(dst, '{')
	for i := range rapid.IntRange(0, 3).Draw(t, "len") {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonx.AppendString(dst, text(t)+strconv.Itoa(i))
		dst = append(dst, ':')
		dst = appendJSON(t, dst, depth-1)
	}
	return append(dst, '}')
}

func patch(t *rapid.T) json.RawMessage {
	dst := []byte{'['}
	for i := range rapid.IntRange(0, 3).Draw(t, "len") {
		if i > 0 {
			dst = append(dst, ',')
		}
		pointer := jsonx.AppendString(nil, rapid.StringMatching(`(/([a-z0-9]|~0|~1){0,3}){0,3}`).Draw(t, "pointer"))
		op := rapid.SampledFrom([]string{"add", "remove", "replace", "move", "copy", "test"}).Draw(t, "op")
		dst = append(dst, `{"op":"`+op+`","path":`...)
		dst = append(dst, pointer...)
		dst = append(append(dst, `,"from":`...), pointer...)
		dst = append(append(dst, `,"value":`...), anyJSON(t)...)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func content(t *rapid.T, parts bool) Content {
	if !parts || rapid.Bool().Draw(t, "text") {
		return TextContent(text(t))
	}
	list := make([]ContentPart, rapid.IntRange(0, 3).Draw(t, "parts"))
	for i := range list {
		list[i] = contentPart(t)
	}
	return PartsContent(list)
}

func contentPart(t *rapid.T) ContentPart {
	p := ContentPart{Type: rapid.SampledFrom([]string{PartText, PartImage, PartAudio, PartVideo, PartDocument}).Draw(t, "part"), ID: text(t)}
	if p.Type == PartText {
		p.Text = text(t)
		p.Metadata = object(t)
		return p
	}
	p.Source = &Source{Type: rapid.SampledFrom([]string{SourceData, SourceURL, SourceFile}).Draw(t, "source"), Value: text(t), MimeType: text(t)}
	if p.Source.Type == SourceFile {
		p.Source.Provider = text(t)
	}
	return p
}

func message(t *rapid.T) Message {
	m := Message{ID: text(t), Metadata: object(t), SubagentRunID: text(t), EncryptedValue: text(t)}
	m.Role = rapid.SampledFrom([]string{RoleDeveloper, RoleSystem, RoleAssistant, RoleUser, RoleTool, RoleActivity, RoleReasoning}).Draw(t, "role")
	switch m.Role {
	case RoleActivity:
		m.EncryptedValue = ""
		m.ActivityType, m.Activity = text(t), object(t)
	case RoleTool:
		m.Content, m.ToolCallID, m.Error = content(t, true), text(t), text(t)
	case RoleAssistant:
		m.Name = text(t)
		if rapid.Bool().Draw(t, "content") {
			m.Content = content(t, false)
		}
		for range rapid.IntRange(0, 2).Draw(t, "calls") {
			m.ToolCalls = append(m.ToolCalls, ToolCall{ID: text(t), Name: text(t), Arguments: text(t), EncryptedValue: text(t), Metadata: object(t)})
		}
	case RoleReasoning:
		m.Content = content(t, false)
	default:
		m.Content, m.Name = content(t, m.Role == RoleUser), text(t)
	}
	return m
}

func messages(t *rapid.T) []Message {
	list := make([]Message, rapid.IntRange(0, 3).Draw(t, "messages"))
	for i := range list {
		list[i] = message(t)
	}
	return list
}

func outcome(t *rapid.T) *Outcome {
	switch rapid.IntRange(0, 3).Draw(t, "outcome") {
	case 0:
		return &Outcome{Type: OutcomeCancelled}
	case 1:
		return &Outcome{Type: OutcomeSuccess, PendingToolCallIDs: texts(t)}
	case 2:
		return &Outcome{Type: OutcomeInterrupt, Interrupts: []Interrupt{{
			ID: text(t), Reason: text(t), Message: text(t), ToolCallID: text(t), ResponseSchema: object(t),
			ExpiresAt: text(t), Metadata: object(t), SubagentRunID: text(t),
		}}}
	}
	return nil
}

func runInput(t *rapid.T) *RunAgentInput {
	in := &RunAgentInput{
		ThreadID: text(t), RunID: text(t), ParentRunID: text(t), ProtocolVersion: text(t),
		State: object(t), Messages: messages(t), ForwardedProps: object(t),
	}
	for range rapid.IntRange(0, 2).Draw(t, "lists") {
		in.Tools = append(in.Tools, Tool{Name: text(t), Description: text(t), Parameters: object(t), Metadata: object(t)})
		in.Context = append(in.Context, ContextItem{Description: text(t), Value: text(t)})
		in.Resume = append(in.Resume, ResumeEntry{InterruptID: text(t), Status: ResumeResolved, Payload: object(t), Metadata: object(t)})
	}
	return in
}

// event fills in a random event of a type, field by field.
func event(t *rapid.T, et EventType) Event {
	e := newEvent(et)
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		if v.Field(i).Type() == reflect.TypeFor[Base]() {
			*e.base() = base(t, et)
		} else {
			v.Field(i).Set(reflect.ValueOf(fieldValue(t, e, v.Type().Field(i))))
		}
	}
	return e
}

func base(t *rapid.T, et EventType) Base {
	b := Base{SubagentRunID: text(t)}
	switch et {
	case TypeRunStarted, TypeRunFinished, TypeRunError, TypeMessagesSnapshot:
		b.SubagentRunID = ""
	}
	if rapid.Bool().Draw(t, "base") {
		b.Timestamp = new(rapid.Int64Range(-mostInt, mostInt).Draw(t, "timestamp"))
		b.RawEvent, b.Metadata = object(t), object(t)
	}
	return b
}

func fieldValue(t *rapid.T, e Event, f reflect.StructField) any {
	switch f.Name {
	case "Role":
		if e.Type() == TypeToolCallResult {
			return rapid.SampledFrom([]string{"", RoleTool}).Draw(t, "role")
		}
		return rapid.SampledFrom([]string{"", RoleDeveloper, RoleSystem, RoleAssistant, RoleUser}).Draw(t, "role")
	case "Subtype":
		return rapid.SampledFrom([]string{"tool-call", "message"}).Draw(t, "subtype")
	case "Patch":
		return patch(t)
	case "Delta":
		if f.Type == reflect.TypeFor[json.RawMessage]() {
			return patch(t)
		}
	case "Content":
		if f.Type == reflect.TypeFor[json.RawMessage]() {
			return object(t)
		}
	case "Result":
		return object(t)
	}
	return typedValue(t, f.Type)
}

func typedValue(t *rapid.T, typ reflect.Type) any {
	switch typ {
	case reflect.TypeFor[string]():
		return text(t)
	case reflect.TypeFor[*string]():
		return new(text(t))
	case reflect.TypeFor[*bool]():
		return new(rapid.Bool().Draw(t, "bool"))
	case reflect.TypeFor[json.RawMessage]():
		return anyJSON(t)
	case reflect.TypeFor[Content]():
		return content(t, true)
	case reflect.TypeFor[[]Message]():
		return messages(t)
	case reflect.TypeFor[*RunAgentInput]():
		return runInput(t)
	case reflect.TypeFor[*Outcome]():
		return outcome(t)
	case reflect.TypeFor[*SubagentOutcome]():
		return &SubagentOutcome{Type: OutcomeSuspended, InterruptIDs: texts(t)}
	case reflect.TypeFor[[]TokenUsage]():
		n := rapid.Int64Range(0, mostInt)
		return []TokenUsage{{Provider: text(t), Model: text(t), InputTokens: new(n.Draw(t, "in")), CacheWriteInputTokens: new(n.Draw(t, "cache"))}, {}}
	}
	panic("no generator for " + typ.String())
}
