package prompt

import (
	"strconv"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/visible"
)

// SourcesMark begins the numbers that the model is told with a result.
const SourcesMark = "\n[Sources of this result. Where the answer rests on one, put its number behind the statement in brackets, such as [1]:"

// sourcesText tells the model the numbers of what a result rests on, or "" if that is nothing.
// Titles and addresses are foreign text: they are quoted.
func sourcesText(s agui.Sources) string {
	if len(s.Sources) == 0 {
		return ""
	}
	b := []byte(SourcesMark)
	for _, source := range s.Sources {
		b = append(b, "\n"...)
		b = strconv.AppendInt(b, int64(source.Number), 10)
		b = append(b, ' ')
		b = jsonx.AppendString(b, strings.TrimSpace(visible.Text(source.Title)))
		if source.URL != "" && source.URL != source.Title {
			b = append(b, ' ')
			b = jsonx.AppendString(b, visible.Text(source.URL))
		}
	}
	return string(append(b, ']'))
}
