package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// events reads one event of a Responses stream after another.
type events struct {
	memo httpmodel.Memo[delta]
	event
}

// event is what one event says.
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

// delta is what an event of one text says beside it.
type delta struct {
	kind        string
	index, part int
}

// decode reads an event.
func (e *events) decode(data []byte) error {
	e.event = event{}
	if d, text, ok := e.memo.Recall(data); ok {
		e.kind, e.index, e.part, e.delta = d.kind, d.index, d.part, text
		return nil
	}
	e.memo.Forget()
	return e.read(data)
}

// eventJSON is an event as the many servers write it.
type eventJSON struct {
	Type    string          `json:"type"`
	Index   int             `json:"output_index"`
	Content *int            `json:"content_index"`
	Summary *int            `json:"summary_index"`
	Delta   httpmodel.Piece `json:"delta"`
	Args    httpmodel.Piece `json:"arguments"`
	Item    json.RawMessage `json:"item"`
	Answer  json.RawMessage `json:"response"`
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`

	// These differ from event to event, and are not looked at.
	ItemID      httpmodel.Piece `json:"item_id"`
	Sequence    httpmodel.Piece `json:"sequence_number"`
	Obfuscation httpmodel.Piece `json:"obfuscation"`
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

func (e *events) read(data []byte) error {
	var in eventJSON
	if err := httpmodel.Read(data, &in); err != nil {
		return fmt.Errorf("an event of the stream is not what the Responses API promises: %w", err)
	}
	e.kind, e.index, e.object = in.Type, in.Index, in.Object
	for _, part := range []*int{in.Content, in.Summary} {
		if part != nil {
			e.part = *part
		}
	}
	e.delta, e.text = in.Delta.Said, in.Args.Said
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
	if strings.HasSuffix(e.kind, ".delta") {
		e.memo.Keep(data, delta{e.kind, e.index, e.part}, &in.Delta, &in.ItemID, &in.Sequence, &in.Obfuscation)
	}
	return e.readParts(&in)
}

func (e *event) readParts(in *eventJSON) error {
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
		Input: count(in.Input), Output: count(in.Output), Total: count(in.Total),
		Reasoning: count(in.OutputDetails.Reasoning),
		CacheRead: count(in.InputDetails.Cached), CacheWrite: count(in.InputDetails.CacheWrite),
	}
}
