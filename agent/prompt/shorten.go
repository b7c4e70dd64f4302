package prompt

import (
	"bytes"
	"fmt"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/visible"
)

// ReadResult is the name of the tool that reads the rest of a result that was cut.
const ReadResult = "read_result"

// LeastResult is the smallest limit for a result, in bytes: it must leave room to say what is cut.
const LeastResult = 1 << 10

// Shorten cuts a result to what the model is shown. JSON stays JSON: long lists and texts lose
// their ends, and a last member _cut, or a last element, says what is missing and how to read it.
// Other text keeps its head. The same input always gives the same output: a prompt can be rebuilt.
func Shorten(limit int, callID, text string) string {
	if len(text) <= limit {
		return text
	}
	advice := fmt.Sprintf(`The result of %d bytes was too long and is cut. The tool %s with {"id":%q} reads on: by offset, or with find.`,
		len(text), ReadResult, callID)
	if short, ok := shortenJSON(text, limit-len(advice)-64, advice); ok && len(short) <= limit {
		return short
	}
	head := visible.Cut(text, limit-len(advice)-64)
	return fmt.Sprintf("%s\n[Cut at byte %d. %s]", head, len(head), advice)
}

// WasCut reports whether a message is a result that was cut.
func WasCut(m agui.Message) bool {
	return m.Role == agui.RoleTool && bytes.Contains(m.Content.Raw(), []byte(ReadResult))
}
