package tool_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/tool"
)

// TestWithdraw: a tool is told whose question it was, and cannot hold up who tells it.
func TestWithdraw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told, hang := "", make(chan struct{})
		asks := plain(t, 0, func(context.Context, *tool.Call) (tool.Result, error) {
			return tool.Result{Ask: &tool.Question{Text: "Which day?", Memo: json.RawMessage(`7`)}}, nil
		})
		asks.Withdraw = func(ctx context.Context, call *tool.Call) {
			switch call.ID {
			case "b":
				told = call.ID + call.Tool + string(call.Reply.Memo)
			case "panics":
				panic("a bug")
			case "a":
				t.Error("a question that can be asked is withdrawn")
			case "hangs":
				<-hang
			case "late":
				<-ctx.Done()
			}
		}
		log := slog.New(slog.DiscardHandler)
		if r := tool.Execute(t.Context(), asks, tool.Call{ID: "a", CanAsk: true, Log: log}, nil); r.Ask == nil {
			t.Errorf("a question that can be asked: %+v", r)
		}
		if r := tool.Execute(t.Context(), asks, tool.Call{ID: "b", Log: log}, nil); tool.ErrorCode(r.Text) != tool.CodeInputRequired || told != "bx7" {
			t.Errorf("a question that nobody can be asked: %s, and the tool is told %q", r.Text, told)
		}
		over, end := context.WithCancel(t.Context())
		end()
		for _, id := range []string{"panics", "late", "hangs"} {
			begun := time.Now()
			tool.Withdraw(over, asks, tool.Call{ID: id, Log: log}, nil)
			if took := time.Since(begun); took > tool.WithdrawTimeout || id != "panics" && took == 0 {
				t.Errorf("%s: it took %v", id, took)
			}
		}
		close(hang)
		tool.Withdraw(t.Context(), &tool.Tool{}, tool.Call{}, nil) // which does not want to know
	})
}

// TestQuestionIsCutBetweenCharacters: a question that is too long ends with a whole character.
func TestQuestionIsCutBetweenCharacters(t *testing.T) {
	long := strings.Repeat("x", tool.MaxQuestion-1)
	for asked, want := range map[string]string{long + "ü?": long, long + "?!": long + "?", "w\xffy?": "w\ufffdy?"} {
		asks := plain(t, 0, func(context.Context, *tool.Call) (tool.Result, error) {
			return tool.Result{Ask: &tool.Question{Text: asked}}, nil
		})
		r := tool.Execute(t.Context(), asks, tool.Call{ID: "a", CanAsk: true, Log: slog.New(slog.DiscardHandler)}, nil)
		if r.Ask == nil || r.Ask.Text != want {
			t.Errorf("%d bytes are asked as %+v", len(asked), r.Ask)
		}
	}
}
