package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/tool"
)

const (
	leastResult   = 1 << 10 // a smaller limit would leave no room for what is cut
	readResultTag = "read_result"
	readDefault   = 8 << 10 // bytes a call of read_result returns where it does not say
	findAround    = 200     // bytes shown on each side of what was found
	maxFound      = 20
)

// shorten returns as much of a result as the model is shown at once. JSON stays JSON: its long
// lists and texts lose their ends, and a member _cut at the end, or a last element, says what is
// missing and how to read on. Any other text keeps its head. The same text always gives the same,
// so that a prompt can be made again.
func shorten(limit int, callID, text string) string {
	if len(text) <= limit {
		return text
	}
	advice := fmt.Sprintf(`The result of %d bytes was too long and is cut. The tool %s with {"id":%q} reads on: by offset, or with find.`, len(text), readResultTag, callID)
	if short, ok := shortenJSON(text, limit-len(advice)-64, advice); ok && len(short) <= limit {
		return short
	}
	head := headOf(text, limit-len(advice)-64)
	return fmt.Sprintf("%s\n[Cut at byte %d. %s]", head, len(head), advice)
}

// headOf returns at most n bytes of text, whole characters.
func headOf(text string, n int) string {
	if len(text) <= n {
		return text
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// shortened is shorten for what stands in a thread: results of frontend tools are kept whole there.
func (w *transcript) shortened(callID string, text llm.Text) llm.Text {
	if w.limit == 0 || len(text.Text)+len(text.Quoted) <= w.limit {
		return text
	}
	whole := text.String()
	if short := shorten(w.limit, callID, whole); short != whole {
		return llm.Text{Text: short}
	}
	return text
}

// wasCut reports whether a message is a result that was cut.
func wasCut(m agui.Message) bool {
	return m.Role == agui.RoleTool && bytes.Contains(m.Content.Raw(), []byte(readResultTag))
}

// cuts reports whether a message is a result of which the model is not shown all.
func (r *run) cuts(m agui.Message) bool {
	return wasCut(m) || m.Role == agui.RoleTool && len(m.Content.Raw()) > r.agent.maxResult()
}

// offerReading offers read_result from the first result on that was cut, and then for the rest of
// the thread. That costs the provider's cache once; to declare it from the start would cost every
// thread that never needs it.
func (r *run) offerReading(said []agui.Message) {
	if r.tools.offers[readResultTag] != nil || !r.model.Tools || !slices.ContainsFunc(said, wasCut) {
		return
	}
	r.offer(r.readResult())
	r.decls = r.tools.decls()
}

// readRequest is the arguments of a call of read_result.
type readRequest struct {
	ID     string `json:"id" jsonschema:"the id that stands with the cut"`
	Offset int    `json:"offset,omitempty" jsonschema:"the byte to begin at, 0 by default"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many bytes, 8192 by default"`
	Find   string `json:"find,omitempty" jsonschema:"text to look for, in any case: returns the passages around it, with their offsets"`
}

var readResultTool = sync.OnceValue(func() *tool.Tool {
	t := tool.New(readResultTag, "Reads on in the result of an earlier tool call that was cut because it was too long.",
		func(context.Context, *tool.Call, readRequest) (tool.Result, error) { return tool.Result{}, nil })
	t.Effect = tool.Read
	return builtin(t)
})

// readResult is the tool for the results of this thread.
func (r *run) readResult() *tool.Tool {
	t := *readResultTool()
	t.Handler = func(ctx context.Context, call *tool.Call) (tool.Result, error) {
		var in readRequest
		if err := json.Unmarshal(call.Args, &in); err != nil {
			return tool.Result{}, err
		}
		whole, err := r.wholeResult(ctx, in.ID)
		if err != nil {
			return tool.Result{}, err
		}
		if in.Find != "" {
			return tool.Result{Text: passages(whole, in.Find, max(in.Offset, 0))}, nil
		}
		return tool.Result{Text: excerpt(whole, in.Offset, in.Limit, r.agent.maxResult()-leastResult/2)}, nil
	}
	return &t
}

// wholeResult returns a result of this thread. Those that were not cut stand whole in the thread,
// also where the model is not shown them any more, the journal has the others. What it reads of the
// run is not written while tools run.
func (r *run) wholeResult(ctx context.Context, callID string) (string, error) {
	thread := r.thread()
	for i := len(thread) - 1; i >= 0; i-- {
		if m := &thread[i]; m.Role == agui.RoleTool && m.ToolCallID == callID {
			if !wasCut(*m) {
				return m.Content.Text(), nil
			}
			break
		}
	}
	if !r.callIDs[callID] {
		return "", &tool.Error{Code: tool.CodeInvalidArgs, Message: fmt.Sprintf("this thread has no tool call %.100q", callID), Retryable: true}
	}
	return r.journal.Result(ctx, callID)
}

// excerpt returns a part of a text with where it stands, whole characters.
func excerpt(whole string, offset, limit, most int) string {
	if limit <= 0 {
		limit = readDefault
	}
	offset = min(max(offset, 0), len(whole))
	for offset > 0 && offset < len(whole) && !utf8.RuneStart(whole[offset]) {
		offset--
	}
	part := headOf(whole[offset:], max(min(limit, most), utf8.UTFMax))
	end := offset + len(part)
	if end == len(whole) {
		return fmt.Sprintf("[bytes %d to %d of %d, the end]\n%s", offset, end, len(whole), part)
	}
	return fmt.Sprintf("[bytes %d to %d of %d, go on at %d]\n%s", offset, end, len(whole), end, part)
}

// passages returns what stands around each place where a text is found, from an offset on.
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
			from := headOf(whole, max(at-findAround, 0))
			fmt.Fprintf(&b, "\n[byte %d] %s", at, headOf(whole[len(from):], min(len(needle), findAround)+2*findAround))
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

// foldCase lowers the letters whose lower form is as long as they are, so that offsets stay.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}
