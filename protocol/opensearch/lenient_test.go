package opensearch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/protocol/opensearch"
	"github.com/pageside/pageside/protocol/protocoltest"
)

// TestWhatDashboardsSend: a component that is still loading, a request without a thread, and what
// ml-commons leaves empty are no errors, in either form.
func TestWhatDashboardsSend(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	message := `[{"id":"m","role":"user","content":"hello"}]`
	for _, body := range []string{
		`{"threadId":"a","runId":"r1","messages":` + message + `,"tools":[],"context":[{"description":"Loading"},{"description":"Rows","value":"7"}]}`,
		`{"threadId":"b","runId":"r3","messages":` + message + `,"tools":[],"context":[{"description":"Loading","value":null}]}`,
		`{"runId":"r4","messages":` + message + `,"tools":[],"context":[]}`,
		`{"parameters":{"agui_run_id":"r2","agui_messages":` + fmt.Sprintf("%q", message) + `,"agui_context":"[{\"description\":\"Loading\"}]"}}`,
		`{"parameters":{"agui_thread_id":"c","agui_messages":` + fmt.Sprintf("%q", message) + `,"agui_context":"","agui_tools":""}}`,
		`{"parameters":{"agui_thread_id":"f","agui_messages":` + fmt.Sprintf("%q", message) + `,"agui_forwarded_props":"{\"n\":1e400}"}}`,
		`{"parameters":{"agui_context":"[]","question":"hello"}}`,
		`{"parameters":{"agui_thread_id":"e","agui_messages":"[]","question":"hello"}}`,
		`{"parameters":{"agui_thread_id":"e","agui_load_chat_history":"true"}}`,
	} {
		if answer := s.Read(s.Do("anns", "POST", stream, body), 200); !strings.Contains(answer, "<you> ") || !strings.Contains(answer, "RUN_FINISHED") {
			t.Errorf("%s: %s", body, answer)
		}
	}
	if reason := refuse(t, s, "POST", stream, `{"threadId":"d","runId":"r","messages":`+message+`,"tools":[],"context":[{"value":"7"}]}`, 400); !strings.Contains(reason, "context[0].description") {
		t.Errorf("an item without a description: %s", reason)
	}
	if reason := refuse(t, s, "POST", "/_plugins/_ml/memories/working/_search", `{}`, 404); !strings.Contains(reason, "/_plugins/_ml/memories/working/_search") {
		t.Errorf("an unknown path: %s", reason)
	}
}

// TestRestoredImages: what a user has attached comes back in the form of AG-UI 0.x.
func TestRestoredImages(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	png := `{"type":"binary","mimeType":"image/png","data":"iVBORw0KGgo=","filename":"a.png"}`
	s.Read(s.Do("anns", "POST", stream, `{"threadId":"i","runId":"r","messages":[{"id":"m","role":"user","content":[{"type":"text","text":"hello"},`+png+`]}],"tools":[],"context":[]}`), 200)
	shown := s.Read(s.Do("anns", "POST", stream, `{"threadId":"i","runId":"again","messages":[],"tools":[],"context":[]}`), 200)
	for _, want := range []string{`"type":"binary"`, `"mimeType":"image/png"`, `"data":"iVBORw0KGgo="`, `"filename":"a.png"`, `{"type":"text","text":"hello"}`} {
		if !strings.Contains(shown, want) {
			t.Errorf("%s is not in %s", want, shown)
		}
	}
	if strings.Contains(shown, `"source"`) {
		t.Errorf("the form of 1.0 is in %s", shown)
	}
}

// TestTimestamps: an event says when it was made, also to whom reads it again, and to readers of
// other protocols nothing that they have not asked for.
func TestTimestamps(t *testing.T) {
	s := protocoltest.Serve(t, opensearch.Protocol{})
	body := `{"threadId":"t","runId":"r1","messages":[{"id":"m","role":"user","content":"hello"}],"tools":[],"context":[]}`
	first := s.Read(s.Do("anns", "POST", stream, body), 200)
	if again := s.Read(s.Do("anns", "POST", stream, body), 200); again != first || !strings.Contains(first, `"timestamp":`) {
		t.Errorf("the first reader got\n%s\nthe second one\n%s", first, again)
	}
	elsewhere := s.Read(s.Do("anns", "POST", "/v1/agents/default/run", strings.Replace(body, `"r1"`, `"r2"`, 1)), 200)
	if strings.Contains(elsewhere, `"timestamp":`) {
		t.Errorf("a client of AG-UI got %s", elsewhere)
	}
}
