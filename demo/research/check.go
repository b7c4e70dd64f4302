package research

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/research/pubmed"
)

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

func isDate(field, date string) error {
	if date != "" && pubmed.Day(date) == 0 {
		return refuse.BadField(field, "must be a date such as 2024, 2024-05 or 2024-05-17")
	}
	return nil
}

// check names what is wrong with a stream, and fills in what may be left out.
func (s *Stream) check() error {
	s.Name = strings.TrimSpace(s.Name)
	s.Schema.Fields, s.Columns = refuse.List(s.Schema.Fields), refuse.List(s.Columns)
	if s.Retrieval.MaxResults == 0 {
		s.Retrieval.MaxResults = defaultMax
	}
	_, wrong := pubmed.Parse(s.Retrieval.Query)
	if s.Retrieval.MaxResults < 0 || s.Retrieval.MaxResults > maxResults {
		wrong = refuse.BadField("retrieval.maxResults", "must be 1 to %d", maxResults)
	}
	all := []error{
		refuse.Length("name", s.Name, 1, maxName), refuse.Length("purpose", s.Purpose, 0, maxText),
		refuse.Count("schema.fields", len(s.Schema.Fields), maxFields), refuse.Count("columns", len(s.Columns), maxColumns),
		wrong, checkFilters("retrieval.filters", s.Retrieval.Filters), s.Schema.check(),
	}
	for i, c := range s.Columns {
		where := fmt.Sprintf("columns[%d].", i)
		all = append(all, refuse.Length(where+"name", c.Name, 1, maxName), c.check(where))
	}
	return errors.Join(all...)
}

func (c criterion) check(where string) error {
	if c.Type == "" {
		c.Type = "none"
	}
	return errors.Join(refuse.Length(where+"criteria", c.Criteria, 1, maxText), refuse.OneOf(where+"type", c.Type, valueTypes...))
}

func (s Schema) check() error {
	for i, f := range s.Fields {
		where := fmt.Sprintf("schema.fields[%d].", i)
		if !fieldKey.MatchString(f.Key) {
			return refuse.BadField(where+"key", "must be small letters, digits and _, and begin with a letter")
		}
		if slices.ContainsFunc(s.Fields[:i], func(before Field) bool { return before.Key == f.Key }) {
			return refuse.BadField(where+"key", "%q is there twice", f.Key)
		}
		err := errors.Join(refuse.Length(where+"label", f.Label, 1, maxName), criterion{"any", f.Type}.check(where),
			refuse.Length(where+"description", f.Description, 0, maxText), refuse.Count(where+"options", len(f.Options), maxListValues))
		if err != nil {
			return err
		}
	}
	return nil
}

func checkFilters(where string, f library.Filters) error {
	return errors.Join(isDate(where+".from", f.From), isDate(where+".to", f.To), refuse.Count(where+".types", len(f.Types), maxListValues),
		refuse.Count(where+".mesh", len(f.MeSH), maxListValues), refuse.Count(where+".journals", len(f.Journals), maxListValues))
}

// checkForm says what is wrong with a trial search.
func checkForm(f library.TrialForm) error {
	return errors.Join(isDate("startFrom", f.StartFrom), isDate("startTo", f.StartTo),
		refuse.Length("condition", f.Condition, 0, maxText), refuse.Length("intervention", f.Intervention, 0, maxText),
		refuse.Length("sponsor", f.Sponsor, 0, maxText), refuse.Length("text", f.Text, 0, maxText),
		refuse.Count("phases", len(f.Phases), maxListValues), refuse.Count("statuses", len(f.Statuses), maxListValues))
}
