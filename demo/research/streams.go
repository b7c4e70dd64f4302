package research

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research/library"
)

// Stream is a question that stays up to date: what to search for, and what to extract from what
// is found.
type Stream struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Purpose   string    `json:"purpose"`
	Schema    Schema    `json:"schema"`
	Retrieval Retrieval `json:"retrieval"`
	Columns   []Column  `json:"columns"`
	Version   int       `json:"version"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Schema is what a stream extracts from its articles.
type Schema struct {
	Fields []Field `json:"fields"`
}

// Field is one thing to extract.
type Field struct {
	Key         string   `json:"key" jsonschema:"small letters, digits and _"`
	Label       string   `json:"label"`
	Type        string   `json:"type" jsonschema:"text, number, yes_no or category"`
	Description string   `json:"description,omitempty"`
	Options     []string `json:"options,omitempty" jsonschema:"of a category"`
}

// Retrieval is how a stream finds its articles.
type Retrieval struct {
	Query      string          `json:"query"`
	Filters    library.Filters `json:"filters"`
	MaxResults int             `json:"maxResults"`
}

// Column asks something of each row; the assistant's model judges it.
type Column struct {
	Name string `json:"name"`
	criterion
}

func streamID(s *Stream) *string { return &s.ID }

// changedSince is the error for a stream that was changed since it was read.
func changedSince(version int) error {
	return &refuse.Error{Status: http.StatusConflict, Code: "version_conflict", Details: map[string]any{"version": version},
		Message: fmt.Sprintf("the stream was changed since it was read: it has version %d now", version),
		Hint:    fmt.Sprintf("Look at the stream again and pass version %d.", version)}
}

// putStream replaces a stream that still has the version of the one given.
func (a *App) putStream(changed Stream) (Stream, error) {
	if _, err := a.streams.Get(changed.ID); err != nil {
		return changed, err
	}
	return a.streams.Update(func(list []Stream, _ string) (Stream, []string, error) {
		i := slices.IndexFunc(list, func(s Stream) bool { return s.ID == changed.ID })
		if now := list[i].Version; now != changed.Version {
			return changed, nil, changedSince(now)
		}
		return stamped(changed), nil, nil
	})
}

func (a *App) addStream(s Stream) (Stream, error) {
	return a.streams.Update(func(list []Stream, next string) (Stream, []string, error) {
		if len(list) >= maxStreams {
			return s, nil, tooMany("streams", maxStreams)
		}
		s.ID, s.Version = next, 0
		return stamped(s), nil, nil
	})
}

func tooMany(what string, most int) error {
	return &refuse.Error{Status: http.StatusConflict, Code: "too_many", Message: fmt.Sprintf("there are %d %s already", most, what)}
}

// stamped is the next version of a stream.
func stamped(s Stream) Stream {
	s.Version++
	s.UpdatedAt = time.Now().UTC().Truncate(time.Second)
	return s
}

// find runs a stream's search.
func (a *App) find(ctx context.Context, r Retrieval, limit int) ([]library.Article, int, error) {
	_, found, total, err := a.search(ctx, r.Query, library.ArticleQuery{Filters: r.Filters, Limit: limit})
	return found, total, err
}

//go:embed streams.json
var givenStreams []byte

// firstStreams are those that the application starts with: of what is given, what finds something
// in this library, else one for each of its commonest headings.
func (a *App) firstStreams(ctx context.Context) (found []Stream, err error) {
	var given []Stream
	if err := json.Unmarshal(givenStreams, &given); err != nil {
		return nil, fmt.Errorf("read the first streams: %w", err)
	}
	for _, s := range given {
		_, total, err := a.find(ctx, s.Retrieval, 0)
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", s.Name, err)
		}
		if total > 0 {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		for _, top := range a.headings(3) {
			s := given[0]
			s.Name, s.Purpose = top.Value, fmt.Sprintf("Articles with the heading %s.", top.Value)
			s.Retrieval.Query = fmt.Sprintf("%q[mh]", top.Value)
			found = append(found, s)
		}
	}
	for i := range found {
		if err := found[i].check(); err != nil {
			return nil, err
		}
		found[i] = stamped(found[i])
	}
	return found, nil
}

// checkTags are headings that nearly every article has and that say little about what it is about.
var checkTags = []string{
	"Humans", "Male", "Female", "Adult", "Middle Aged", "Aged", "Aged, 80 and over", "Adolescent", "Young Adult", "Child",
	"Child, Preschool", "Infant", "Animals", "Mice", "Molecular Sequence Data", "Base Sequence", "Amino Acid Sequence",
}

// headings are the commonest headings that say what articles are about.
func (a *App) headings(n int) []library.Count {
	list := slices.DeleteFunc(slices.Clone(a.library.Top["mh"]), func(c library.Count) bool { return slices.Contains(checkTags, c.Value) })
	return list[:min(n, len(list))]
}
