package llm

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/pageside/pageside/internal/lazy"
)

// Blame adds the name of the tool whose declaration the provider refused to the error's message, if
// its words tell. It copies none of those words into the message.
func (f *Fitted) Blame(e *Error, words string) {
	if e.Kind != KindBadRequest || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return
	}
	i, ok := f.toolIn(words)
	if !ok {
		return
	}
	name := f.Tools[i].Name
	if declared, ok := f.names[name]; ok {
		name = declared
	}
	what := "it refused the declaration"
	if aboutSchema().MatchString(words) {
		what = "it does not take the schema"
	}
	e.Message += fmt.Sprintf(": %s of the tool %q", what, name)
}

var aboutSchema = lazy.Regexp(`(?i)schema|parameters|properties`)

// positions match how providers number the tools of a request. Amazon's lists count from 1.
var positions = []struct {
	pattern func() *regexp.Regexp
	first   int
}{
	{lazy.Regexp(`(?i)function_?declarations\[(\d{1,4})\]`), 0},
	{lazy.Regexp(`toolConfig\.tools\.(\d{1,4})\.member\b`), 1},
	{lazy.Regexp(`\btools(?:\[|\.)(\d{1,4})\b`), 0},
}

// toolIn finds the tool that a provider's message is about: by its quoted name, else by its
// position.
func (f *Fitted) toolIn(words string) (int, bool) {
	for i, t := range f.Tools {
		for _, quote := range []string{"'", `"`, "`", `\"`} {
			if strings.Contains(words, quote+t.Name+quote) && aboutTools().MatchString(words) {
				return i, true
			}
		}
	}
	for _, p := range positions {
		if m := p.pattern().FindStringSubmatch(words); m != nil {
			n, _ := strconv.Atoi(m[1])
			if i := n - p.first; i >= 0 && i < len(f.Tools) {
				return i, true
			}
			return 0, false
		}
	}
	return 0, false
}

var aboutTools = lazy.Regexp(`(?i)tool|function`)
