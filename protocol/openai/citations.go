package openai

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/lazy"
)

// marks finds the numbers that a text cites, as [1] or [1, 3]. Code is found first, and cites
// nothing.
var marks = lazy.Regexp("(?s)```.*?(?:```|$)|`[^`\n]*`|" + `\[(\d{1,4}(?:, ?\d{1,4})*)\]`)

// citation is a mark in a text that stands for an address of the web. Positions are in characters,
// the end is behind the mark.
type citation struct {
	Start int    `json:"start_index"`
	End   int    `json:"end_index"`
	URL   string `json:"url"`
	Title string `json:"title"`
}

// cite takes the sources of a message.
func (a *answer) cite(e *agui.ActivitySnapshot) {
	told, _ := agui.ReadSources(&agui.Message{
		Role: agui.RoleActivity, ActivityType: e.ActivityType, Activity: e.Content,
	})
	for _, s := range told.Sources {
		if a.sources == nil {
			a.sources = map[int]agui.CitableSource{}
		}
		a.sources[s.Number] = s.CitableSource
	}
}

// citations returns where the text cites the sources of the answer. The protocol knows only such
// that have an address elsewhere.
func (a *answer) citations() []citation {
	list := []citation{}
	if len(a.sources) == 0 {
		return list
	}
	text := a.text.String()
	at, counted := 0, 0 // characters, and the bytes that they have
	for _, m := range marks().FindAllStringSubmatchIndex(text, -1) {
		if m[2] < 0 {
			continue // code
		}
		at, counted = at+utf8.RuneCountInString(text[counted:m[0]]), m[0]
		for number := range strings.SplitSeq(text[m[2]:m[3]], ",") {
			n, _ := strconv.Atoi(strings.TrimSpace(number)) // digits: cannot fail
			if s := a.sources[n]; strings.HasPrefix(strings.ToLower(s.URL), "http") {
				list = append(list, citation{at, at + m[1] - m[0], s.URL, cmp.Or(s.Title, s.URL)})
			}
		}
	}
	return list
}
