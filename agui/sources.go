package agui

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/visible"
)

// SourcesType is the activity type of sources: what a tool's result, or an answer, rests on.
// Clients can see them, but not write them. Those without a renderer for it ignore it.
const SourcesType = ReservedPrefix + "sources"

// CitableSource is something that an answer may cite.
type CitableSource struct {
	Title string `json:"title"`
	// URL is an http or https address, the id of an element of the page (#row-3), or a path of the
	// application (/articles/12). Any other is left out. "" is none.
	URL string `json:"url,omitempty"`
	// Snippet is a passage or a sentence about it, as plain text; "" is none.
	Snippet string `json:"snippet,omitempty"`
}

// NumberedSource is a source with the number under which answers cite it, as [3].
type NumberedSource struct {
	Number int `json:"number"`
	CitableSource
}

// Sources is the content of an activity message of SourcesType.
type Sources struct {
	Sources []NumberedSource `json:"sources"`
	// ToolCallID is the call whose result rests on them; "" where an agent named them itself.
	ToolCallID string `json:"toolCallId,omitempty"`
}

// Message returns the sources as a message of a thread.
func (s Sources) Message(id string) Message {
	return Message{ID: id, Role: RoleActivity, ActivityType: SourcesType, Activity: s.Content()}
}

// Event returns the event that adds the sources to a thread.
func (s Sources) Event(id string) Event {
	return &ActivitySnapshot{MessageID: id, ActivityType: SourcesType, Content: s.Content()}
}

// Content returns the sources as the content of an activity.
func (s Sources) Content() json.RawMessage {
	content, _ := json.Marshal(s) // strings and numbers: cannot fail
	return content
}

// ReadSources reads sources. It returns false for any other message.
func ReadSources(m *Message) (s Sources, ok bool) {
	if m.Role != RoleActivity || m.ActivityType != SourcesType {
		return s, false
	}
	return decode[Sources](m.Activity)
}

// ResultSources returns the sources that the result of a tool of the page comes with, in the
// metadata of its message: {"pageside":{"sources":[…]}}. The page writes them, unnumbered.
func ResultSources(m *Message) []CitableSource {
	if m.Role != RoleTool {
		return nil
	}
	raw := jsonx.Find(jsonx.Find(m.Metadata, metadataKey), "sources")
	var sources []CitableSource
	if raw == nil || json.Unmarshal(raw, &sources) != nil {
		return nil
	}
	return sources
}

// MaxSources is how many sources one result may have.
const MaxSources = 50

// What a source may have, in bytes.
const (
	maxSourceTitle   = 300
	maxSourceURL     = 2048
	maxSourceSnippet = 1000
	maxSourceNumber  = 9999 // what a mark in a text can name
)

// Numbering numbers the sources of a thread. One that comes again keeps its number, so that marks
// mean the same in all its answers. The zero value numbers those of a new thread.
type Numbering struct {
	numbers map[string]int
	last    int
}

// NumberingOf continues the numbers of a thread.
func NumberingOf(thread []Message) *Numbering {
	n := &Numbering{}
	for i := range thread {
		if s, ok := ReadSources(&thread[i]); ok {
			for _, source := range s.Sources {
				n.know(source)
			}
		}
	}
	return n
}

func (n *Numbering) know(s NumberedSource) {
	if n.numbers == nil {
		n.numbers = map[string]int{}
	}
	n.numbers[s.key()] = s.Number
	n.last = max(n.last, s.Number)
}

// Number cleans sources and numbers them. Those that have no title and no address are left out, and
// those that come twice.
func (n *Numbering) Number(sources []CitableSource) []NumberedSource {
	given := make([]NumberedSource, len(sources))
	for i, s := range sources {
		given[i].CitableSource = s
	}
	return n.Take(given)
}

// Take is Number for an agent that has numbered its sources itself: they keep the numbers that they
// have.
func (n *Numbering) Take(sources []NumberedSource) []NumberedSource {
	var numbered []NumberedSource
	for _, s := range sources {
		if len(numbered) == MaxSources {
			break
		}
		s.clean()
		if s.Title == "" {
			continue
		}
		if s.Number < 1 || s.Number > maxSourceNumber {
			s.Number = cmp.Or(n.numbers[s.key()], n.last+1)
		}
		if s.Number > maxSourceNumber || slices.ContainsFunc(numbered, func(other NumberedSource) bool {
			return other.Number == s.Number
		}) {
			continue
		}
		n.know(s)
		numbered = append(numbered, s)
	}
	return numbered
}

// CleanSources returns sources as they may be kept: at most MaxSources, each within its bounds,
// without addresses that must not be followed. Those that have no title and no address are left
// out.
func CleanSources(sources []CitableSource) []CitableSource {
	var kept []CitableSource
	for _, s := range sources {
		if len(kept) == MaxSources {
			break
		}
		if s.clean(); s.Title != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// key tells sources apart.
func (s *CitableSource) key() string { return cmp.Or(s.URL, s.Title) }

// clean bounds a source, and leaves out an address that must not be followed.
func (s *CitableSource) clean() {
	if !isSourceURL(s.URL) {
		s.URL = ""
	}
	s.Snippet = cleanLine(s.Snippet, maxSourceSnippet)
	s.Title = cmp.Or(cleanLine(s.Title, maxSourceTitle), cleanLine(s.URL, maxSourceTitle))
}

// isSourceURL reports whether a link may lead to an address: on the web, or on the page itself.
func isSourceURL(address string) bool {
	if len(address) > maxSourceURL || strings.ContainsFunc(address, isControlOrSpace) || !utf8.ValidString(address) {
		return false
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.User != nil:
		return false
	case u.Scheme == "http", u.Scheme == "https":
		return u.Host != ""
	}
	if u.Scheme != "" || u.Host != "" || strings.ContainsRune(address, '\\') {
		return false
	}
	return len(address) > 1 && address[0] == '#' || strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//")
}

func isControlOrSpace(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }

// cleanLine returns a text in one line of at most so many bytes.
func cleanLine(text string, most int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if len(text) <= most {
		return text
	}
	return visible.Clip(text, most-len("…"))
}
