package pubmed

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Tokens splits text into words as the index does: letters and digits, in lower case, without
// diacritics.
func Tokens(text string) []string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(text))
	return strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Co, r) })
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

// HeadingNames are the names under which [mh] and [pt] find a term: as it is, without its commas,
// and "Leukemia, Myeloid, Acute" also as "acute myeloid leukemia".
func HeadingNames(term string) []string {
	name := Heading(term)
	parts := strings.Split(name, ", ")
	if len(parts) == 1 {
		return []string{name}
	}
	turned := slices.Clone(parts)
	slices.Reverse(turned)
	return unique(name, strings.Join(parts, " "), strings.Join(turned, " "))
}

// JournalNames are the names under which [ta] finds a journal: its title, without what follows a
// colon or stands in parentheses, and without a "The" in front.
func JournalNames(title string) []string {
	short, _, _ := strings.Cut(title, " : ")
	short, _, _ = strings.Cut(short, " (")
	names := []string{plain(title), plain(short)}
	for _, n := range names {
		names = append(names, strings.TrimPrefix(n, "the "))
	}
	return unique(names...)
}

// AuthorNames are the names under which [au] finds an author whose last name stands first: as it
// is, and with initials in place of first names, wherever the last name may end.
func AuthorNames(author string) []string {
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
var stopWords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields("a about an and are as at be been by for from in is it not of on or that the their these this those to was were which with") {
		words[w] = true
	}
	return words
}()
