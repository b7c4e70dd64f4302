package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// ---------- std: what a careful Go programmer writes first ----------

type sMsg struct {
	ID         string          `json:"id,omitempty"`
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content,omitempty"`
	ToolCalls  []sCall         `json:"toolCalls,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
}
type sCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}
type sInput struct {
	ThreadID string `json:"threadId"`
	RunID    string `json:"runId"`
	Messages []sMsg `json:"messages"`
	Tools    []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Parameters  any    `json:"parameters"`
	} `json:"tools"`
	Context []struct{ Description, Value string } `json:"context"`
	State   any                                   `json:"state"`
}
type uMsg struct {
	Role       string  `json:"role"`
	Content    any     `json:"content"`
	ToolCalls  []sCall `json:"tool_calls,omitempty"`
	ToolCallID string  `json:"tool_call_id,omitempty"`
}
type uTool struct {
	Type     string `json:"type"`
	Function any    `json:"function"`
}
type uReq struct {
	Model         string         `json:"model"`
	Stream        bool           `json:"stream"`
	Messages      []uMsg         `json:"messages"`
	Tools         []uTool        `json:"tools,omitempty"`
	StreamOptions map[string]any `json:"stream_options,omitempty"`
}
type uChunk struct {
	ID      string `json:"id"`
	Choices []struct {
		Delta struct {
			Content   string `json:"content"`
			ToolCalls []struct {
				Index    int    `json:"index"`
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"delta"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
}
type aEvent struct {
	Type         string `json:"type"`
	ThreadID     string `json:"threadId,omitempty"`
	RunID        string `json:"runId,omitempty"`
	MessageID    string `json:"messageId,omitempty"`
	Role         string `json:"role,omitempty"`
	Delta        string `json:"delta,omitempty"`
	ToolCallID   string `json:"toolCallId,omitempty"`
	ToolCallName string `json:"toolCallName,omitempty"`
	Content      string `json:"content,omitempty"`
	Message      string `json:"message,omitempty"`
}

func std(w http.ResponseWriter, r *http.Request) {
	var in sInput
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	fl := w.(http.Flusher)
	emit := func(e aEvent) {
		j, _ := json.Marshal(e)
		fmt.Fprintf(w, "data: %s\n\n", j)
		fl.Flush()
	}
	emit(aEvent{Type: "RUN_STARTED", ThreadID: in.ThreadID, RunID: in.RunID})
	q := uReq{Model: *model, Stream: true, StreamOptions: map[string]any{"include_usage": true}}
	sys := ""
	for _, c := range in.Context {
		sys += c.Description + ": " + c.Value + "\n"
	}
	q.Messages = append(q.Messages, uMsg{Role: "system", Content: sys})
	for _, m := range in.Messages {
		q.Messages = append(q.Messages, uMsg{Role: m.Role, Content: m.Content, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID})
	}
	q.Tools = append(q.Tools, uTool{"function", json.RawMessage(toolDef[len(`{"type":"function","function":`) : len(toolDef)-1])})
	for _, t := range in.Tools {
		q.Tools = append(q.Tools, uTool{"function", map[string]any{"name": t.Name, "description": t.Description, "parameters": t.Parameters}})
	}
	for {
		var calls []sCall
		var text strings.Builder
		err := stdTurn(r.Context(), &q, emit, &calls, &text)
		if err != nil {
			emit(aEvent{Type: "RUN_ERROR", Message: err.Error()})
			return
		}
		if len(calls) == 0 {
			break
		}
		q.Messages = append(q.Messages, uMsg{Role: "assistant", Content: text.String(), ToolCalls: calls})
		for _, c := range calls {
			var a struct{ Query string }
			json.Unmarshal([]byte(c.Function.Arguments), &a)
			emit(aEvent{Type: "TOOL_CALL_RESULT", MessageID: "tm-" + c.ID, ToolCallID: c.ID, Role: "tool", Content: toolResult})
			q.Messages = append(q.Messages, uMsg{Role: "tool", Content: toolResult, ToolCallID: c.ID})
		}
	}
	emit(aEvent{Type: "RUN_FINISHED", ThreadID: in.ThreadID, RunID: in.RunID})
}

func stdTurn(ctx context.Context, q *uReq, emit func(aEvent), calls *[]sCall, text *strings.Builder) error {
	j, err := json.Marshal(q)
	if err != nil {
		return err
	}
	rq, _ := http.NewRequestWithContext(ctx, "POST", "http://"+*up+"/v1/chat/completions", bytes.NewReader(j))
	rq.Header.Set("Content-Type", "application/json")
	rq.Header.Set("Authorization", "Bearer sk-mock")
	resp, err := client.Do(rq)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return fmt.Errorf("upstream status %d", resp.StatusCode)
	}
	mid := ""
	sc := bufio.NewScanner(resp.Body)
	sc.Buffer(make([]byte, 0, 64<<10), 1<<20)
	for sc.Scan() {
		l, ok := strings.CutPrefix(sc.Text(), "data: ")
		if !ok {
			continue
		}
		if l == "[DONE]" {
			continue
		}
		var c uChunk
		if err := json.Unmarshal([]byte(l), &c); err != nil {
			return err
		}
		if len(c.Choices) == 0 {
			continue
		}
		ch := c.Choices[0]
		if ch.Delta.Content != "" {
			if mid == "" {
				mid = "msg-" + strconv.FormatInt(seq.Add(1), 10)
				emit(aEvent{Type: "TEXT_MESSAGE_START", MessageID: mid, Role: "assistant"})
			}
			text.WriteString(ch.Delta.Content)
			emit(aEvent{Type: "TEXT_MESSAGE_CONTENT", MessageID: mid, Delta: ch.Delta.Content})
		}
		for _, tc := range ch.Delta.ToolCalls {
			if tc.ID != "" {
				n := sCall{ID: tc.ID, Type: "function"}
				n.Function.Name = tc.Function.Name
				*calls = append(*calls, n)
				emit(aEvent{Type: "TOOL_CALL_START", ToolCallID: tc.ID, ToolCallName: tc.Function.Name})
			}
			if tc.Function.Arguments != "" && len(*calls) > 0 {
				p := &(*calls)[len(*calls)-1]
				p.Function.Arguments += tc.Function.Arguments
				emit(aEvent{Type: "TOOL_CALL_ARGS", ToolCallID: p.ID, Delta: tc.Function.Arguments})
			}
		}
	}
	if mid != "" {
		emit(aEvent{Type: "TEXT_MESSAGE_END", MessageID: mid})
	}
	for _, c := range *calls {
		emit(aEvent{Type: "TOOL_CALL_END", ToolCallID: c.ID})
	}
	return sc.Err()
}
