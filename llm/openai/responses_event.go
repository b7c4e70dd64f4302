package openai

import (
	"encoding/json"
	"fmt"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// event is what one event of a Responses stream says.
type event struct {
	kind  string
	index int // output_index
	part  int // content_index or summary_index
	delta string
	text  string // the arguments of a call that is done

	object   string
	item     *itemJSON
	rawItem  []byte
	response *responseJSON
	failure  *apiError
}

// deltas are the events that come once per token, by name so that none is allocated.
var deltas = map[string]string{
	"response.output_text.delta":             "response.output_text.delta",
	"response.function_call_arguments.delta": "response.function_call_arguments.delta",
	"response.reasoning_summary_text.delta":  "response.reasoning_summary_text.delta",
	"response.reasoning_text.delta":          "response.reasoning_text.delta",
}

// decode reads an event. Those that come once per token are read by hand, all others by
// encoding/json.
func (e *event) decode(data []byte) error {
	*e = event{}
	if e.fast(data) {
		return nil
	}
	*e = event{}
	return e.slow(data)
}

// fast reads an event of one delta. It reports false at the first sign of anything else.
func (e *event) fast(data []byte) bool {
	w := walk{Decoder: jsonx.Decoder{Data: data}}
	var delta []byte
	for w.enter(jsonx.Object); w.more(); {
		switch string(w.key()) {
		case "type":
			raw := w.Raw()
			if len(raw) < 2 {
				return false
			}
			if e.kind = deltas[string(raw[1:len(raw)-1])]; e.kind == "" {
				return false
			}
		case "delta":
			delta = w.Raw()
		case "output_index":
			e.index = w.index()
		case "content_index", "summary_index":
			e.part = w.index()
		case "item", "response", "error", "code", "object":
			return false
		default:
			w.Skip()
		}
	}
	if w.odd || !w.End() || e.kind == "" || jsonx.KindOf(delta) != jsonx.String {
		return false
	}
	text, err := httpmodel.Text(delta)
	e.delta = text
	return err == nil
}

// eventJSON is an event as the many servers write it.
type eventJSON struct {
	Type    string          `json:"type"`
	Index   int             `json:"output_index"`
	Content *int            `json:"content_index"`
	Summary *int            `json:"summary_index"`
	Delta   json.RawMessage `json:"delta"`
	Args    json.RawMessage `json:"arguments"`
	Item    json.RawMessage `json:"item"`
	Answer  json.RawMessage `json:"response"`
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`
}

// itemJSON is an output item.
type itemJSON struct {
	Type      string     `json:"type"`
	CallID    string     `json:"call_id"`
	Name      string     `json:"name"`
	Arguments string     `json:"arguments"`
	Content   []textJSON `json:"content"`
	Summary   []textJSON `json:"summary"`
	Encrypted string     `json:"encrypted_content"`
}

type textJSON struct {
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// responseJSON is the answer as a whole.
type responseJSON struct {
	Status     string            `json:"status"`
	Output     []json.RawMessage `json:"output"`
	Usage      json.RawMessage   `json:"usage"`
	Error      json.RawMessage   `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

// slow reads any event.
func (e *event) slow(data []byte) error {
	var in eventJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("an event of the stream is not what the Responses API promises: %w", err)
	}
	e.kind, e.index, e.object = in.Type, in.Index, in.Object
	for _, part := range []*int{in.Content, in.Summary} {
		if part != nil {
			e.part = *part
		}
	}
	_ = json.Unmarshal(in.Delta, &e.delta) // of the kinds we look at it is a string
	_ = json.Unmarshal(in.Args, &e.text)
	switch {
	case e.kind == "error":
		e.failure = readAPIError(data)
		if isNull(in.Error) {
			e.failure.kind = "" // the event's own type is no news
		}
		return nil
	case !isNull(in.Error) && e.kind == "" && e.object != "response":
		e.failure = readAPIError(in.Error)
		return nil
	}
	return e.slowParts(&in)
}

func (e *event) slowParts(in *eventJSON) error {
	if !isNull(in.Item) {
		e.item, e.rawItem = new(itemJSON), in.Item
		if err := json.Unmarshal(in.Item, e.item); err != nil && wanted(in.Item) {
			return fmt.Errorf("an output item is not what the Responses API promises: %w", err)
		}
	}
	if !isNull(in.Answer) {
		e.response = new(responseJSON)
		if err := json.Unmarshal(in.Answer, e.response); err != nil {
			return fmt.Errorf("an answer is not what the Responses API promises: %w", err)
		}
	}
	return nil
}

// wanted reports whether an item is of a kind whose fields we know: others may use the same names
// for other things.
func wanted(raw []byte) bool {
	var it struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(raw, &it) != nil {
		return true
	}
	return it.Type == itemMessage || it.Type == itemReasoning || it.Type == itemCall
}

// responsesUsageJSON counts tokens as the Responses API does.
type responsesUsageJSON struct {
	Input        *float64 `json:"input_tokens"`
	Output       *float64 `json:"output_tokens"`
	Total        *float64 `json:"total_tokens"`
	InputDetails struct {
		Cached     *float64 `json:"cached_tokens"`
		CacheWrite *float64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputDetails struct {
		Reasoning *float64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// readResponsesUsage returns the counts, nil where there are none or they make no sense: usage
// never fails an answer.
func readResponsesUsage(raw []byte) *llm.Usage {
	var in responsesUsageJSON
	if isNull(raw) || json.Unmarshal(raw, &in) != nil || (in.Input == nil && in.Output == nil) {
		return nil
	}
	return &llm.Usage{
		Input: count(in.Input), Output: count(in.Output), Total: count(in.Total), Reasoning: count(in.OutputDetails.Reasoning),
		CacheRead: count(in.InputDetails.Cached), CacheWrite: count(in.InputDetails.CacheWrite),
	}
}
