package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

// script is what the model is to do, written as JSON into the user's message: so a provider needs
// to know nothing, and a request that is made again after a crash plays the same.
type script struct {
	Play  string `json:"play"` // names it, unlike any other
	Steps []step `json:"steps"`
}

// step is one answer of the model. Which one it is the provider sees by how many answers stand
// behind the question.
type step struct {
	Words int  `json:"words,omitempty"` // of text; the last step's text ends with "end."
	Pace  int  `json:"pace,omitempty"`  // milliseconds between two chunks
	Stamp bool `json:"stamp,omitempty"` // each word is the time it was written, in nanoseconds
	// bytes of a word; at least as many as it needs. Of a fault what it takes it for
	Size  int    `json:"size,omitempty"`
	Calls []tcal `json:"calls,omitempty"`
	Fault string `json:"fault,omitempty"` // of provider.faults, in place of an answer
	// reported as used, in all; nothing is reported if 0
	Tokens int `json:"tokens,omitempty"`
}

// tcal is a tool call.
type tcal struct {
	Tool string `json:"tool"`
	Args string `json:"args"`
}

func (s script) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(text)
}

// provider is a model behind HTTP, as OpenAI's Chat Completions. It refuses histories in which a
// call has no result, as real ones do.
type provider struct {
	t      testing.TB
	url    string // up to and including /v1
	server *http.Server
	faults map[string]func(http.ResponseWriter, *http.Request, step)
	calls  atomic.Int64 // tool calls made, for their ids

	mu    sync.Mutex
	asked map[string][]chatRequest // by play
	under map[string]int           // how many requests are under way, by play
	bad   []string
}

// chatRequest is what of a request matters here.
type chatRequest struct {
	Messages []chatMessage `json:"messages"`
}

type chatMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name, Arguments string
		} `json:"function"`
	} `json:"tool_calls"`
}

// text is the message's, whichever way it was written.
func (m chatMessage) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(m.Content, &parts)
	for _, p := range parts {
		s += p.Text
	}
	return s
}

func newProvider(t testing.TB) *provider {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	p := &provider{t: t, url: "http://" + l.Addr().String() + "/v1", asked: map[string][]chatRequest{}, faults: map[string]func(http.ResponseWriter, *http.Request, step){}, under: map[string]int{}}
	p.server = &http.Server{Handler: p}
	go func() { _ = p.server.Serve(l) }()
	t.Cleanup(func() {
		p.server.Close()
		for _, bad := range p.bad {
			t.Error(bad)
		}
	})
	return p
}

// requests returns what the model was asked in a play.
func (p *provider) requests(play string) []chatRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[play]
}

// busy reports whether a request of a play is under way.
func (p *provider) busy(play string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.under[play] > 0
}

func (p *provider) count(play string, change int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.under[play] += change
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // its process was killed
	}
	var req chatRequest
	if err := json.Unmarshal(body, &req); err != nil {
		p.refuse(w, fmt.Sprintf("a model request is not JSON: %v", err))
		return
	}
	if err := llmtest.Check(llmtest.Chat, body); err != nil {
		p.refuse(w, "a model was sent what a provider refuses: "+err.Error())
		return
	}
	s, n, err := scriptOf(req.Messages)
	if err != nil {
		p.refuse(w, err.Error())
		return
	}
	p.mu.Lock()
	p.asked[s.Play] = append(p.asked[s.Play], req)
	p.mu.Unlock()
	p.count(s.Play, +1)
	defer p.count(s.Play, -1)
	last := n >= len(s.Steps)-1
	st := s.Steps[min(n, len(s.Steps)-1)]
	if st.Fault != "" {
		p.faults[st.Fault](w, r, st)
		return
	}
	if n >= len(s.Steps) {
		st.Calls = nil
	}
	p.play(w, r, s.Play, st, last)
}

// refuse answers as providers answer a request that is wrong, and has the test fail.
func (p *provider) refuse(w http.ResponseWriter, problem string) {
	p.mu.Lock()
	p.bad = append(p.bad, problem)
	p.mu.Unlock()
	http.Error(w, `{"error":{"message":"bad request","type":"invalid_request_error"}}`, http.StatusBadRequest)
}

// scriptOf finds the newest question, and how many answers stand behind it.
func scriptOf(messages []chatMessage) (s script, n int, err error) {
	for i := len(messages) - 1; i >= 0; i-- {
		switch messages[i].Role {
		case "assistant":
			n++
		case "user":
			_, text, ok := strings.Cut(messages[i].text(), `{"play":`)
			if !ok {
				return s, n, fmt.Errorf("a model was asked %q, which is no script", messages[i].text())
			}
			return s, n, json.NewDecoder(strings.NewReader(`{"play":` + text)).Decode(&s)
		}
	}
	return s, n, fmt.Errorf("a model was asked nothing: %d messages", len(messages))
}

// play writes one answer.
func (p *provider) play(w http.ResponseWriter, r *http.Request, play string, st step, last bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	say := func(delta string) bool {
		_, err := fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{%s}}]}\n\n", delta)
		if err == nil {
			err = rc.Flush()
		}
		if err == nil && st.Pace > 0 {
			select {
			case <-time.After(time.Duration(st.Pace) * time.Millisecond):
			case <-r.Context().Done():
				err = r.Context().Err()
			}
		}
		return err == nil
	}
	for i := range st.Words {
		if !say(`"content":"` + word(st, i, last && i == st.Words-1) + `"`) {
			return
		}
	}
	for i, c := range st.Calls {
		id := fmt.Sprintf("call_%s_%d", play, p.calls.Add(1))
		if !say(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]`, i, id, c.Tool)) {
			return
		}
		for _, piece := range []string{c.Args[:len(c.Args)/2], c.Args[len(c.Args)/2:]} {
			if !say(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"arguments":%q}}]`, i, piece)) {
				return
			}
		}
	}
	why := "stop"
	if len(st.Calls) > 0 {
		why = "tool_calls"
	}
	usage := ""
	if st.Tokens > 0 {
		usage = fmt.Sprintf(`,"usage":{"prompt_tokens":%d,"completion_tokens":1,"total_tokens":%d}`, st.Tokens-1, st.Tokens)
	}
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]%s}\n\ndata: [DONE]\n\n", why, usage)
}

func word(st step, i int, end bool) string {
	text := fmt.Sprintf("word%d ", i)
	switch {
	case st.Stamp:
		text = fmt.Sprintf("~%d ", time.Now().UnixNano())
	case end:
		text = "end."
	}
	if len(text) < st.Size {
		text += strings.Repeat("x", st.Size-len(text)-1) + " "
	}
	return text
}
