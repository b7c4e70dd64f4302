package seeds

import (
	"testing"

	"github.com/pageside/pageside/test/must"
)

// TestConversationIsKept: a conversation is there after a restart, and the model is told of it.
func TestConversationIsKept(t *testing.T) {
	w := start(t, oneAgent, nil)
	w.model.will(says("Nice to meet you, Ada."))
	if all := w.ask("t1", "r1", "My name is Ada."); len(named(all, "RUN_FINISHED")) != 1 {
		t.Fatalf("the run has not finished: %v", all)
	}
	w.restart()
	must.Have(t, w.get("/v1/threads/t1/messages"), "Nice to meet you, Ada.", "the stored messages")
	w.ask("t1", "r2", "What is my name?")
	must.Have(t, w.last(), "My name is Ada.", "the model is asked")
}
