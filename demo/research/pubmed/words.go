package pubmed

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Tokens splits text into words: letters and digits, in lower case, without diacritics.
func Tokens(text string) []string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(text))
	return strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Co, r) })
}

// Spaced writes the words of a text with a blank on both sides of each, so that only whole words
// and phrases are found in it.
func Spaced(text string) string {
	var b strings.Builder
	for _, word := range Tokens(text) {
		b.WriteString(" " + word + " ")
	}
	return b.String()
}

// plain is text as names are compared.
func plain(text string) string { return strings.Join(Tokens(text), " ") }

// Heading is a term as headings are compared: in plain words, its parts apart.
func Heading(text string) string {
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		if p := plain(part); p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
}

// Names are the names under which a search finds a value of a kind.
func Names(kind, value string) []string {
	switch kind {
	case "au":
		return authorNames(value)
	case "ta":
		return journalNames(value)
	}
	return headingNames(value)
}

// headingNames are the names under which [mh] and [pt] find a term: as it is, without its commas,
// and "Leukemia, Myeloid, Acute" also as "acute myeloid leukemia".
func headingNames(term string) []string {
	name := Heading(term)
	parts := strings.Split(name, ", ")
	if len(parts) == 1 {
		return []string{name}
	}
	turned := slices.Clone(parts)
	slices.Reverse(turned)
	return unique(name, strings.Join(parts, " "), strings.Join(turned, " "))
}

// journalNames are the names under which [ta] finds a journal: its title, without what follows a
// colon or stands in parentheses, and without a "The" in front.
func journalNames(title string) []string {
	short, _, _ := strings.Cut(title, " : ")
	short, _, _ = strings.Cut(short, " (")
	names := []string{plain(title), plain(short)}
	for _, n := range names {
		names = append(names, strings.TrimPrefix(n, "the "))
	}
	return unique(names...)
}

// authorNames are the names under which [au] finds an author whose last name stands first: as it
// is, and with initials in place of first names, wherever the last name may end.
func authorNames(author string) []string {
	words := Tokens(author)
	names := []string{strings.Join(words, " ")}
	for i := 1; i < len(words); i++ {
		initials := ""
		for _, w := range words[i:] {
			initials += string([]rune(w)[:1])
		}
		names = append(names, strings.Join(words[:i], " ")+" "+initials)
		if len(initials) > 1 {
			names = append(names, strings.Join(words[:i], " ")+" "+string([]rune(initials)[:1]))
		}
	}
	return unique(names...)
}

func unique(names ...string) []string {
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "" })
}

// stopWords say nothing by themselves.
var stopWords = strings.Fields("a about an and are as at be been by for from in is it not of on or that the their " +
	"these this those to was were which with")
