package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

const (
	readDefault = 8 << 10 // bytes returned by read_result by default
	findAround  = 200     // bytes shown on each side of a match
	maxFound    = 20
)

// readRequest holds the arguments of a read_result call.
type readRequest struct {
	ID     string `json:"id" jsonschema:"the id that stands with the cut"`
	Offset int    `json:"offset,omitempty" jsonschema:"the byte to begin at, 0 by default"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many bytes, 8192 by default"`
	Find   string `json:"find,omitempty" jsonschema:"text to look for, in any case: returns the passages around it, with their offsets"`
}

var readResultTool = sync.OnceValue(func() *tool.Tool {
	t := tool.New(prompt.ReadResult, "Reads on in the result of an earlier tool call that was cut because it was too long.",
		func(context.Context, *tool.Call, readRequest) (tool.Result, error) { return tool.Result{}, nil })
	t.Effect = tool.Read
	return tool.Builtin(*t)
})

// resultReader lets the model read the results of a thread.
type resultReader struct {
	thread    func() prompt.Thread // not called while the thread is written
	ids       *callIDs
	journal   Journal
	maxResult int
}

// tool returns the tool for the results of this thread.
func (r *resultReader) tool() *tool.Tool {
	t := *readResultTool()
	t.Handler = func(ctx context.Context, call *tool.Call) (tool.Result, error) {
		var in readRequest
		if err := json.Unmarshal(call.Args, &in); err != nil {
			return tool.Result{}, err
		}
		whole, err := r.whole(ctx, in.ID)
		if err != nil {
			return tool.Result{}, err
		}
		if in.Find != "" {
			return tool.Result{Text: passages(whole, in.Find, max(in.Offset, 0))}, nil
		}
		return tool.Result{Text: excerpt(whole, in.Offset, in.Limit, r.maxResult-prompt.LeastResult/2)}, nil
	}
	return &t
}

// whole returns a full result. Results that were not cut are in the thread, even if the prompt
// leaves them out; the journal has the others.
func (r *resultReader) whole(ctx context.Context, callID string) (string, error) {
	thread := r.thread().Messages()
	for i := len(thread) - 1; i >= 0; i-- {
		if m := &thread[i]; m.Role == agui.RoleTool && m.ToolCallID == callID {
			if !prompt.WasCut(*m) {
				return m.Content.Text(), nil
			}
			break
		}
	}
	if !r.ids.taken[callID] {
		return "", &tool.Error{
			Code: tool.CodeInvalidArgs, Message: fmt.Sprintf("this thread has no tool call %.100q", callID),
			Retryable: true,
		}
	}
	return r.journal.Result(ctx, callID)
}

// excerpt returns part of a text with its position, without splitting characters.
func excerpt(whole string, offset, limit, most int) string {
	if limit <= 0 {
		limit = readDefault
	}
	offset = min(max(offset, 0), len(whole))
	for offset > 0 && offset < len(whole) && !utf8.RuneStart(whole[offset]) {
		offset--
	}
	part := visible.Cut(whole[offset:], max(min(limit, most), utf8.UTFMax))
	end := offset + len(part)
	if end == len(whole) {
		return fmt.Sprintf("[bytes %d to %d of %d, the end]\n%s", offset, end, len(whole), part)
	}
	return fmt.Sprintf("[bytes %d to %d of %d, go on at %d]\n%s", offset, end, len(whole), end, part)
}

// passages returns the text around each match, from an offset on.
func passages(whole, find string, offset int) string {
	haystack, needle := foldCase(whole), foldCase(find)
	var b strings.Builder
	found, more := 0, 0
	for at := min(offset, len(haystack)); ; {
		i := strings.Index(haystack[at:], needle)
		if i < 0 {
			break
		}
		at += i
		if found++; found > maxFound {
			more++
		} else {
			from := visible.Cut(whole, max(at-findAround, 0))
			fmt.Fprintf(&b, "\n[byte %d] %s", at,
				visible.Cut(whole[len(from):], min(len(needle), findAround)+2*findAround))
		}
		at += len(needle)
	}
	if found == 0 {
		return fmt.Sprintf("[%d bytes: not found]", len(whole))
	}
	if more > 0 {
		fmt.Fprintf(&b, "\n[%d more; look again from a later offset]", more)
	}
	return fmt.Sprintf("[%d bytes, found %d times]%s", len(whole), found, b.String())
}

// foldCase lowers letters whose lower form has the same length, which preserves offsets.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}
