package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/llm/httpmodel"
)

// events reads one event of a Responses stream after another.
type events struct {
	memo httpmodel.Memo[delta]
	event
	failure *apiError
}

// event is an event as the many servers write it.
type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"output_index"`
	Content int             `json:"content_index"`
	Summary int             `json:"summary_index"`
	Delta   httpmodel.Piece `json:"delta"`
	Args    httpmodel.Piece `json:"arguments"`
	Item    *itemJSON       `json:"item"`
	Answer  *responseJSON   `json:"response"`
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`

	// These differ from event to event, and are not looked at.
	ItemID      httpmodel.Piece `json:"item_id"`
	Sequence    httpmodel.Piece `json:"sequence_number"`
	Obfuscation httpmodel.Piece `json:"obfuscation"`
}

// part is which of an item's texts the event is about.
func (e *event) part() int { return cmp.Or(e.Summary, e.Content) }

// itemJSON is an output item.
type itemJSON struct {
	Type      string     `json:"type"`
	CallID    string     `json:"call_id"`
	Name      string     `json:"name"`
	Arguments string     `json:"arguments"`
	Content   []textJSON `json:"content"`
	Summary   []textJSON `json:"summary"`
	Encrypted string     `json:"encrypted_content"`

	raw string // all of it, as it came
}

type textJSON struct {
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// UnmarshalJSONFrom reads the fields of the kinds that we know: others may use the same names for
// other things.
func (it *itemJSON) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var kind struct {
		Type string `json:"type"`
	}
	if err := httpmodel.Read(raw, &kind); err != nil {
		return err
	}
	*it = itemJSON{Type: kind.Type, raw: string(raw)}
	switch it.Type {
	case itemMessage, itemReasoning, itemCall:
		type fields itemJSON
		return httpmodel.Read(raw, (*fields)(it))
	}
	return nil
}

// responseJSON is the answer as a whole.
type responseJSON struct {
	Status     string          `json:"status"`
	Output     []itemJSON      `json:"output"`
	Usage      json.RawMessage `json:"usage"`
	Error      json.RawMessage `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

// delta is what an event of one text says beside it.
type delta struct {
	kind        string
	index, part int
}

// decode reads an event.
func (e *events) decode(data []byte) error {
	e.event, e.failure = event{}, nil
	if d, text, ok := e.memo.Recall(data); ok {
		e.Type, e.Index, e.Content, e.Delta.Said = d.kind, d.index, d.part, text
		return nil
	}
	e.memo.Forget()
	if err := httpmodel.Read(data, &e.event); err != nil {
		return fmt.Errorf("an event of the stream is not what the Responses API promises: %w", err)
	}
	switch {
	case e.Type == "error":
		e.failure = readAPIError(data)
		if isNull(e.Error) {
			e.failure.kind = "" // the event's own type is no news
		}
	case !isNull(e.Error) && e.Type == "" && e.Object != "response":
		e.failure = readAPIError(e.Error)
	case strings.HasSuffix(e.Type, ".delta"):
		e.memo.Keep(data, delta{e.Type, e.Index, e.part()}, &e.Delta, &e.ItemID, &e.Sequence, &e.Obfuscation)
	}
	return nil
}
