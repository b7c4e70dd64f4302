package seeds

import (
	"net/http"
	"strings"
	"testing"
)

// TestConversationIsKept: a conversation is there after a restart, and the model is told of it.
func TestConversationIsKept(t *testing.T) {
	w := start(t, "models: {m: {use: test/fake}}\nagents: [{id: default, model: m}]\n", nil)
	w.model.will(says("Nice to meet you, Ada."))
	if all := w.ask("t1", "r1", "My name is Ada."); len(named(all, "RUN_FINISHED")) != 1 {
		t.Fatalf("the run has not finished: %v", all)
	}
	w.restart()
	if status, body := w.do(http.MethodGet, "/v1/threads/t1/messages", ""); status != http.StatusOK || !strings.Contains(body, "Nice to meet you, Ada.") {
		t.Errorf("the stored messages: %d %s", status, body)
	}
	w.ask("t1", "r2", "What is my name?")
	if asked := w.model.asked(); !strings.Contains(prompt(asked[len(asked)-1]), "My name is Ada.") {
		t.Errorf("the model is asked %q", prompt(asked[len(asked)-1]))
	}
}
