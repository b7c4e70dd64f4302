package conformance

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/pageside/pageside/tool"
)

// effects records by thread what tools have done, so that a test can tell whether a call ran, and
// how often.
type effects struct {
	mu   sync.Mutex
	done map[string][]string // thread → "tool arguments", in the order they ran
}

func (e *effects) add(call *tool.Call) tool.Result {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done[call.ThreadID] = append(e.done[call.ThreadID], call.Tool+" "+string(call.Args))
	// was JSON: cannot fail
	text, _ := json.Marshal(map[string]any{"done": call.Tool, "args": call.Args, "times": len(e.done[call.ThreadID])})
	return tool.Result{Text: string(text)}
}

func (e *effects) of(thread string) tool.Result {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := append([]string{}, e.done[thread]...)
	text, _ := json.Marshal(list) // strings: cannot fail
	return tool.Result{Text: string(text)}
}

// effectTools returns tools whose effects are recorded, two of which always need approval, and one
// that lists the effects in a thread.
func effectTools() []*tool.Tool {
	e := &effects{done: map[string][]string{}}
	mail := tool.New("send_mail", "Sends a mail.", func(_ context.Context, call *tool.Call, _ struct {
		To      string `json:"to"`
		Subject string `json:"subject,omitempty"`
	}) (tool.Result, error) {
		return e.add(call), nil
	})
	mail.Effect, mail.Policy.Approval = tool.Exfil, tool.ApprovalAlways
	remove := tool.New("delete_file", "Deletes a file.", func(_ context.Context, call *tool.Call, _ struct {
		Path string `json:"path"`
	}) (tool.Result, error) {
		return e.add(call), nil
	})
	remove.Effect, remove.Policy.Approval = tool.Destructive, tool.ApprovalAlways
	save := tool.New("save_note", "Saves a note.", func(_ context.Context, call *tool.Call, _ struct {
		Text string `json:"text"`
	}) (tool.Result, error) {
		return e.add(call), nil
	})
	save.Effect = tool.Write
	// not on the thread itself, which would show that somebody looked
	done := tool.New("effects", "Lists what was done in a thread.", func(_ context.Context, _ *tool.Call, in struct {
		Thread string `json:"thread"`
	}) (tool.Result, error) {
		return e.of(in.Thread), nil
	})
	done.Effect = tool.Read
	return []*tool.Tool{mail, remove, save, done}
}
