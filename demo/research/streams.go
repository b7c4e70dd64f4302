package research

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/demo/rest"
	"github.com/pageside/pageside/demo/saved"
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
	Name     string `json:"name"`
	Criteria string `json:"criteria"`
	Type     string `json:"type"`
}

const (
	maxStreams    = 200
	maxFields     = 40
	maxColumns    = 20
	maxResults    = 1000
	defaultMax    = 200
	maxText       = 2000 // characters of a purpose or description
	maxName       = 120
	maxListValues = 50
)

var (
	valueTypes = []string{"text", "number", "yes_no", "category"}
	fieldKey   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
)

// check names what is wrong with a stream, and fills in what may be left out.
func (s *Stream) check() error {
	s.Name = strings.TrimSpace(s.Name)
	switch {
	case !isName(s.Name):
		return rest.BadField("name", "must have 1 to %d characters", maxName)
	case utf8.RuneCountInString(s.Purpose) > maxText:
		return rest.BadField("purpose", "has more than %d characters", maxText)
	case len(s.Schema.Fields) > maxFields:
		return rest.BadField("schema.fields", "are more than %d", maxFields)
	case len(s.Columns) > maxColumns:
		return rest.BadField("columns", "are more than %d", maxColumns)
	case s.Retrieval.MaxResults < 0 || s.Retrieval.MaxResults > maxResults:
		return rest.BadField("retrieval.maxResults", "must be 1 to %d", maxResults)
	}
	if s.Retrieval.MaxResults == 0 {
		s.Retrieval.MaxResults = defaultMax
	}
	if _, err := pubmed.Parse(s.Retrieval.Query); err != nil {
		return err
	}
	if err := checkFilters("retrieval.filters", s.Retrieval.Filters); err != nil {
		return err
	}
	s.Schema.Fields, s.Columns = rest.List(s.Schema.Fields), rest.List(s.Columns)
	if err := s.Schema.check(); err != nil {
		return err
	}
	for i, c := range s.Columns {
		where := fmt.Sprintf("columns[%d].", i)
		if !isName(c.Name) {
			return rest.BadField(where+"name", "must have 1 to %d characters", maxName)
		}
		if err := c.criterion().check(where); err != nil {
			return err
		}
	}
	return nil
}

func (c Column) criterion() criterion { return criterion{c.Criteria, c.Type} }

func isName(s string) bool { return strings.TrimSpace(s) != "" && utf8.RuneCountInString(s) <= maxName }

func (s Schema) check() error {
	for i, f := range s.Fields {
		where := fmt.Sprintf("schema.fields[%d].", i)
		switch {
		case !fieldKey.MatchString(f.Key):
			return rest.BadField(where+"key", "must be small letters, digits and _, and begin with a letter")
		case slices.ContainsFunc(s.Fields[:i], func(before Field) bool { return before.Key == f.Key }):
			return rest.BadField(where+"key", "%q is there twice", f.Key)
		case !isName(f.Label):
			return rest.BadField(where+"label", "must have 1 to %d characters", maxName)
		case !slices.Contains(valueTypes, f.Type):
			return rest.BadField(where+"type", "must be one of %s", strings.Join(valueTypes, ", "))
		case utf8.RuneCountInString(f.Description) > maxText || len(f.Options) > maxListValues:
			return rest.BadField(where+"description", "is too long")
		}
	}
	return nil
}

func checkFilters(where string, f library.Filters) error {
	for name, date := range map[string]string{"from": f.From, "to": f.To} {
		if date != "" && pubmed.Day(date) == 0 {
			return rest.BadField(where+"."+name, "must be a date such as 2024, 2024-05 or 2024-05-17")
		}
	}
	for name, list := range map[string][]string{"types": f.Types, "mesh": f.MeSH, "journals": f.Journals} {
		if len(list) > maxListValues {
			return rest.BadField(where+"."+name, "has more than %d values", maxListValues)
		}
	}
	return nil
}

// streams has the streams. It is safe for concurrent use.
type streams struct {
	mu    sync.Mutex
	list  []*Stream
	now   func() time.Time
	saved *saved.Collection
}

// conflictError says that a stream was changed since it was read.
type conflictError struct{ version int }

func (e *conflictError) Error() string {
	return fmt.Sprintf("the stream was changed since it was read: it has version %d now", e.version)
}

// all returns copies of the streams, in the order they were made.
func (s *streams) all() []Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Stream, len(s.list))
	for i, stream := range s.list {
		list[i] = stream.clone()
	}
	return list
}

func (s *streams) get(id string) (Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stream, err := s.find(id)
	if err != nil {
		return Stream{}, err
	}
	return stream.clone(), nil
}

func (s *streams) find(id string) (*Stream, error) {
	i := slices.IndexFunc(s.list, func(stream *Stream) bool { return stream.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("stream %q: %w", rest.Clip(id, 40), library.ErrNotFound)
	}
	return s.list[i], nil
}

// put replaces a stream that still has the version of the one given.
func (s *streams) put(changed Stream) (Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stream, err := s.find(changed.ID)
	if err != nil {
		return Stream{}, err
	}
	if stream.Version != changed.Version {
		return Stream{}, &conflictError{stream.Version}
	}
	changed.Version++
	changed.UpdatedAt = s.now().UTC().Truncate(time.Second)
	if err := s.saved.Write(savedStream(changed)); err != nil {
		return Stream{}, err
	}
	*stream = changed.clone()
	return changed, nil
}

func (s *streams) add(stream Stream) (Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) >= maxStreams {
		return Stream{}, &rest.Error{Status: 409, Code: "too_many", Message: fmt.Sprintf("there are %d streams already", maxStreams)}
	}
	stream.ID, stream.Version, stream.UpdatedAt = strconv.Itoa(len(s.list)+1), 1, s.now().UTC().Truncate(time.Second)
	if err := s.saved.Write(savedStream(stream)); err != nil {
		return Stream{}, err
	}
	own := stream.clone()
	s.list = append(s.list, &own)
	return stream, nil
}

func savedStream(s Stream) []saved.Item { return []saved.Item{{ID: s.ID, Value: s}} }

// clone copies what a caller could change.
func (s *Stream) clone() Stream {
	c := *s
	c.Schema.Fields, c.Columns = slices.Clone(s.Schema.Fields), slices.Clone(s.Columns)
	return c
}

// find runs a stream's search as far as a day, 0 for no bound.
func (a *App) find(ctx context.Context, r Retrieval, limit int) ([]library.Article, int, error) {
	q, err := pubmed.Parse(r.Query)
	if err != nil {
		return nil, 0, err
	}
	return a.library.Search(ctx, library.ArticleQuery{Text: q, Filters: r.Filters, Limit: limit})
}

// loadStreams are the streams that were saved, else those that the application starts with.
func (a *App) loadStreams(ctx context.Context) (*streams, error) {
	collection := a.collection("stream")
	list, err := saved.All[*Stream](collection)
	if err != nil || len(list) > 0 {
		return &streams{now: a.config.now, saved: collection, list: list}, err
	}
	s, err := a.firstStreams(ctx)
	if err != nil {
		return nil, err
	}
	// all of them or none: a part would be taken for what users left
	var items []saved.Item
	for _, stream := range s.list {
		items = append(items, savedStream(*stream)...)
	}
	s.saved = collection
	return s, collection.Write(items)
}

// firstStreams are those that the application starts with: of what is given, what finds something
// in this library, else one for each of its commonest headings.
func (a *App) firstStreams(ctx context.Context) (*streams, error) {
	s := &streams{now: a.config.now}
	for _, stream := range givenStreams {
		_, total, err := a.find(ctx, stream.Retrieval, 0)
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", stream.Name, err)
		}
		if total > 0 {
			if _, err := s.add(stream); err != nil {
				return nil, err
			}
		}
	}
	if len(s.list) > 0 {
		return s, nil
	}
	for _, top := range a.headings(3) {
		stream := givenStreams[0].clone()
		stream.Name, stream.Purpose = top.Value, fmt.Sprintf("Articles with the heading %s.", top.Value)
		stream.Retrieval.Query = fmt.Sprintf("%q[mh]", top.Value)
		if _, err := s.add(stream); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// checkTags are headings that nearly every article has and that say little about what it is about.
var checkTags = []string{"Humans", "Male", "Female", "Adult", "Middle Aged", "Aged", "Aged, 80 and over", "Adolescent", "Young Adult", "Child", "Child, Preschool", "Infant", "Animals", "Mice",
	"Molecular Sequence Data", "Base Sequence", "Amino Acid Sequence"}

// headings are the commonest headings that say what articles are about.
func (a *App) headings(n int) []library.Count {
	var list []library.Count
	for _, top := range a.library.Top["mh"] {
		if len(list) < n && !slices.Contains(checkTags, top.Value) {
			list = append(list, top)
		}
	}
	return list
}

var givenFields = []Field{
	{"population", "Population", "text", "Who was studied: newly diagnosed or relapsed, age, how many", nil},
	{"intervention", "Intervention", "text", "What was given, and with what", nil},
	{"design", "Design", "category", "How it was studied", []string{"randomized trial", "single-arm trial", "retrospective", "review", "laboratory"}},
	{"outcome", "Main outcome", "text", "The outcome that was measured first", nil},
	{"randomized", "Randomized", "yes_no", "Whether patients were assigned by chance", nil},
}

var givenStreams = []Stream{
	{Name: "Venetoclax combinations", Purpose: "What venetoclax is combined with in acute myeloid leukemia, for whom, and with which outcome.", Schema: Schema{givenFields},
		Retrieval: Retrieval{Query: "venetoclax[tiab]", MaxResults: defaultMax},
		Columns:   []Column{{"With azacitidine", "Is venetoclax combined with azacitidine?", "yes_no"}}},
	{Name: "FLT3 inhibitors", Purpose: "Inhibitors of FLT3 in acute myeloid leukemia: which, when, and how resistance comes about.", Schema: Schema{givenFields[:4]},
		Retrieval: Retrieval{Query: `FLT3[ti] OR gilteritinib[tiab] OR midostaurin[tiab] OR quizartinib[tiab]`, MaxResults: defaultMax}, Columns: []Column{}},
	{Name: "Older patients", Purpose: "Treatment of patients of 60 and more years who are not fit for intensive chemotherapy.", Schema: Schema{givenFields[:3]},
		Retrieval: Retrieval{Query: `(elderly[ti] OR "older patients"[ti] OR "older adults"[ti] OR unfit[ti])`, Filters: library.Filters{Types: []string{"Clinical Trial, Phase II", "Clinical Trial, Phase III", "Randomized Controlled Trial"}}, MaxResults: defaultMax}, Columns: []Column{}},
}
