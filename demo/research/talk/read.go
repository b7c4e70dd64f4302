package talk

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pageside/pageside/demo/ask"
)

//go:embed words.txt
var wordsFile string

//go:embed stopwords.txt
var stopFile string

var (
	words = sync.OnceValue(func() *ask.Words { return ask.NewWords(wordsFile) })
	stops = sync.OnceValue(func() []string { return strings.Fields(stopFile) })
)

// StopWords are those that get into no search.
func StopWords() []string { return slices.Clone(stops()) }

// Question is what was asked.
type Question struct {
	Do    string // count, list, rank, distinct, newest, oldest, clear or only
	Of    string // articles or trials; "" is what the page shows
	By    string // a field of words.txt
	Least bool
	N     int // how many of a rank; 0 is as usual
	Whole bool
	Conds
}

// Conds are what must hold; texts are words that must all be there.
type Conds struct {
	Author, Topic, Drug, Journal, Sponsor string
	Types, Statuses, Phases               []string
	From, To                              int // years
}

// heard is a question before it makes sense.
type heard struct {
	Question
	dos    map[string]bool
	fields []string
	by     bool // waits for a field
	groups bool // a field was asked for with "by"
}

const year = `((?:19|20)\d\d)`

// years are the forms of time, the widest first, with what they say.
var years = []struct {
	re       *regexp.Regexp
	from, to int // the groups, 0 is none
	add      int // to the year: "after 2020" begins with 2021
}{
	{regexp.MustCompile(`\b(?:between|from)\s+` + year + `\s+(?:and|to|until)\s+` + year + `\b`), 1, 2, 0},
	{regexp.MustCompile(`\b(?:from |in |of )?` + year + `\s+(?:or|and)\s+(?:later|newer|after|younger)\b|\b(?:from )?` + year + `\s+(?:on|onwards?)\b|\bsince\s+(?:the year )?` + year + `\b|\bstarting (?:in|from)\s+` + year + `\b`), -1, 0, 0},
	{regexp.MustCompile(`\b(?:newer than|after|later than)\s+` + year + `\b`), 1, 0, 1},
	{regexp.MustCompile(`\b` + year + `\s+(?:or|and)\s+(?:earlier|older|before)\b|\b(?:until|up to)\s+` + year + `\b`), 0, -1, 0},
	{regexp.MustCompile(`\b(?:before|older than|earlier than)\s+` + year + `\b`), 0, 1, -1},
	{regexp.MustCompile(`\b(?:(?:from|in|of|for|during)\s+)?(?:the year )?` + year + `\b`), 1, 1, 0},
}

// Read reads a question. It reports false where a word has no meaning, or the words together none.
func Read(text string) (*Question, bool) {
	h := &heard{dos: map[string]bool{}}
	text, ok := h.times(strings.ToLower(strings.NewReplacer("’", "'", "-", " ", "–", " ").Replace(text)))
	all := tokens(text)
	for ok && len(all) > 0 {
		n := h.next(all)
		ok = n > 0
		all = all[max(n, 1):]
	}
	if !ok || h.by || !h.understand() {
		return nil, false
	}
	return &h.Question, true
}

// tokens are the words of a text without their punctuation.
func tokens(text string) (list []string) {
	for _, w := range strings.Fields(text) {
		if w = strings.Trim(w, `?!.,;:"'()“”„`); w != "" {
			list = append(list, w)
		}
	}
	return list
}

// times takes the years out of a text, which has at most one span of them.
func (h *heard) times(text string) (string, bool) {
	for _, form := range years {
		m := form.re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		if h.From != 0 || h.To != 0 {
			return text, false
		}
		h.From, h.To = yearOf(m, form.from, form.add), yearOf(m, form.to, form.add)
		text = strings.Replace(text, m[0], " \x00 ", 1)
	}
	return text, h.From == 0 || h.To == 0 || h.From <= h.To
}

// yearOf is the year of a group of a match, -1 being the one that is there.
func yearOf(m []string, n, add int) int {
	if n == 0 {
		return 0
	}
	value := strings.Join(m[1:], "")
	if n > 0 {
		value = m[n]
	}
	y, _ := strconv.Atoi(value)
	return y + add
}

// next takes the first words, and returns how many; 0 is what nothing says.
func (h *heard) next(all []string) int {
	if all[0] == "\x00" {
		return 1
	}
	if n, err := strconv.Atoi(all[0]); err == nil && n > 0 && n <= 50 && h.N == 0 {
		h.N = n
		return 1
	}
	kind, value, n := words().Find(all)
	switch kind {
	case "":
		return 0
	case "do":
		h.dos[value] = true
	case "scope":
		h.Whole = true
	case "by":
		h.by = true
	case "noun":
		if h.Of != "" && h.Of != value {
			return 0
		}
		h.Of = value
	case "field":
		h.groups = h.groups || h.by
		if h.by = false; !slices.Contains(h.fields, value) {
			h.fields = append(h.fields, value)
		}
	case "is":
		h.is(value)
	case "open":
		return h.open(value, all, n)
	}
	return n
}

func (h *heard) is(text string) {
	field, value, _ := strings.Cut(text, "=")
	list := map[string]*[]string{"status": &h.Statuses, "phase": &h.Phases, "type": &h.Types}[field]
	*list = append(*list, value)
}

// open takes the name behind a word such as "by". "by" before a field is how things are grouped.
func (h *heard) open(what string, all []string, n int) int {
	if kind, _, _ := words().Exact(all[n:]); what == "by" && kind == "field" {
		h.by = true
		return n
	}
	end := n
	for end < len(all) && !h.ends(what, all[end:]) {
		if slices.Contains([]string{"as", "or", "not", "without", "but", "than", "no"}, all[end]) {
			return 0
		}
		end++
	}
	name := strings.Join(all[n:end], " ")
	if what == "topic" || what == "drug" {
		name = strings.Join(Telling(name), " ")
	}
	target := map[string]*string{"by": &h.Author, "topic": &h.Topic, "drug": &h.Drug, "journal": &h.Journal}[what]
	if name == "" || *target != "" {
		return 0
	}
	*target = name
	return end
}

// ends reports whether a name ends before these words. A topic may have any word in it.
func (h *heard) ends(what string, rest []string) bool {
	if rest[0] == "\x00" {
		return true
	}
	kind, value, _ := words().Exact(rest)
	if what == "topic" {
		return kind == "open" && value != "topic" && value != "drug"
	}
	return kind != "" && rest[0] != "and" && rest[0] != "of" && rest[0] != "the"
}

// Telling are the words of a text that say what to look for.
func Telling(text string) []string {
	return slices.DeleteFunc(tokens(strings.ToLower(text)), func(w string) bool { return slices.Contains(stops(), w) })
}

// only reports whether nothing is to be done but some of these.
func (h *heard) only(dos ...string) bool {
	for do := range h.dos {
		if !slices.Contains(dos, do) {
			return false
		}
	}
	return true
}

// understand puts the words together. Each way takes all of them, or does not apply.
func (h *heard) understand() bool {
	if len(h.fields) > 1 || len(h.Phases) > 1 || len(h.Statuses) > 1 || len(h.Types) > 1 || h.dos["top"] && h.dos["least"] {
		return false // both, or either?
	}
	if len(h.fields) == 1 {
		h.By = h.fields[0]
	}
	plain := h.By == "" && h.N == 0
	switch {
	case h.dos["clear"]:
		h.Do = "clear"
		return plain && h.only("clear") && !h.some()
	case h.dos["only"]:
		h.Do = "only"
		return plain && h.only("only") && h.some()
	case h.dos["newest"] != h.dos["oldest"]:
		h.Do = map[bool]string{true: "newest", false: "oldest"}[h.dos["newest"]]
		return h.By == "" && h.only("newest", "oldest", "list")
	case h.By != "":
		return h.ranked()
	case h.dos["count"]:
		h.Do = "count"
		return plain && h.only("count", "list") && (h.Of != "" || h.some())
	}
	h.Do = "list"
	// "Trials with venetoclax" fills in the form: the rules have a card for that.
	named := h.Of != "" && h.Topic == "" && h.Drug == ""
	kind := len(h.Types)+len(h.Statuses)+len(h.Phases) > 0
	return plain && h.only("list") && h.some() && (named || h.dos["list"] && (kind || h.Of != ""))
}

// ranked is about the values of a field: which leads, or how many there are.
func (h *heard) ranked() bool {
	h.Do, h.Least = "rank", h.dos["least"]
	if h.dos["count"] && !h.dos["top"] && !h.Least && h.Of == "" && !h.groups && !h.dos["list"] {
		h.Do = "distinct"
	}
	return h.only("count", "list", "top", "least") && (len(h.dos) > 0 || h.Of != "" || h.groups)
}

// some reports whether there is a condition.
func (c Conds) some() bool { return len(c.Labels()) > 0 }

// Labels name the conditions for people.
func (c Conds) Labels() (labels []string) {
	add := func(format, value string) {
		if value != "" {
			labels = append(labels, "`"+fmt.Sprintf(format, value)+"`")
		}
	}
	add("author is %s", c.Author)
	add("in title or abstract: %s", c.Topic)
	add("intervention: %s", c.Drug)
	add("journal is %s", c.Journal)
	add("sponsor: %s", c.Sponsor)
	add("type is %s", strings.Join(c.Types, ", "))
	add("status is %s", strings.ToLower(strings.ReplaceAll(strings.Join(c.Statuses, ", "), "_", " ")))
	add("phase is %s", strings.TrimSpace(strings.NewReplacer("EARLY_PHASE", "early ", "PHASE", "").Replace(strings.Join(c.Phases, ", "))))
	switch {
	case c.From != 0 && c.From == c.To:
		labels = append(labels, fmt.Sprintf("`year is %d`", c.From))
	case c.From != 0 && c.To != 0:
		labels = append(labels, fmt.Sprintf("`year is %d to %d`", c.From, c.To))
	case c.From != 0:
		labels = append(labels, fmt.Sprintf("`from %d or later`", c.From))
	case c.To != 0:
		labels = append(labels, fmt.Sprintf("`until %d`", c.To))
	}
	return labels
}
