package tool

import (
	"context"
	"encoding/json"
	"time"

	"github.com/pageside/pageside/internal/guard"
)

// WithdrawTimeout bounds a tool's Withdraw.
const WithdrawTimeout = 5 * time.Second

// Withdraw tells a tool that what a call of it has asked gets no answer, also after ctx has ended.
// It returns when the tool's Withdraw does, or after WithdrawTimeout.
func Withdraw(ctx context.Context, t *Tool, call Call, memo json.RawMessage) {
	if t.Withdraw == nil {
		return
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), WithdrawTimeout)
	call.Tool, call.Reply = t.Name, &Reply{Memo: memo}
	go func() {
		defer end()
		defer guard.Log(call.Logger(), "a tool panicked when its question was withdrawn", "tool", t.Name,
			"toolCallId", call.ID)
		t.Withdraw(ctx, &call)
	}()
	<-ctx.Done()
}
