package page

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the search for mentions.
const (
	maxText    = 64 << 10 // bytes of a message that are looked at
	maxAtSigns = 1000     // so many @ in them
	maxLabel   = 128      // bytes of a label; a longer one is none
	maxNames   = 16       // names in one description
)

// Mentions returns the indexes of the items that a message of the user mentions: it has an @ and
// the label of the item behind it, in any case. The longest label counts: in "@rows of today" with
// the labels rows and "rows of today", the second. An @ in an e-mail address, a path or code
// mentions nothing. An item without a label is mentioned by its description, or by a word with an
// @ in it: "Rows selected in the table (@selected-rows)".
//
// The SDK has the same rules; testdata/mentions.json holds both to them.
func Mentions(text string, items []Item) []int {
	if !strings.Contains(text, "@") {
		return nil
	}
	labels, lengths := labelsOf(items)
	if len(lengths) == 0 {
		return nil
	}
	var found []int
	text = fold(withoutCode(text[:min(len(text), maxText)]))
	for at, n := 0, 0; n < maxAtSigns; n++ {
		next := strings.IndexByte(text[at:], '@')
		if next < 0 {
			break
		}
		at += next + 1
		if !beginsWord(text[:at-1]) {
			continue
		}
		if label := longestLabel(text[at:], labels, lengths); label != "" {
			found = append(found, labels[label]...)
			at += len(label)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// labelsOf returns the indexes of the items by their labels, and the lengths of the labels, longest
// first.
func labelsOf(items []Item) (labels map[string][]int, lengths []int) {
	labels = map[string][]int{}
	for i := range items {
		for _, label := range items[i].names() {
			label = strings.TrimSpace(fold(strings.TrimPrefix(strings.TrimSpace(label), "@")))
			if label == "" || len(label) > maxLabel || slices.Contains(labels[label], i) {
				continue
			}
			labels[label] = append(labels[label], i)
			lengths = append(lengths, len(label))
		}
	}
	slices.Sort(lengths)
	lengths = slices.Compact(lengths)
	slices.Reverse(lengths)
	return labels, lengths
}

// names returns what the user may write behind an @ to mention the item.
func (it *Item) names() []string {
	if it.Label != "" {
		return []string{it.Label}
	}
	names := []string{it.Description}
	rest := it.Description
	for len(names) <= maxNames {
		before, after, ok := strings.Cut(rest, "@")
		if !ok {
			break
		}
		word := after[:wordLength(after)]
		if word != "" && beginsWord(before) {
			names = append(names, word)
		}
		rest = after
	}
	return names
}

// wordLength is how far a word with dashes and dots in it reaches.
func wordLength(s string) int {
	n := strings.IndexFunc(s, func(r rune) bool { return !isWord(r) && !strings.ContainsRune("-._", r) })
	if n < 0 {
		n = len(s)
	}
	return len(strings.TrimRight(s[:n], "-._"))
}

// longestLabel returns the longest label that the text begins with and that ends there.
func longestLabel(text string, labels map[string][]int, lengths []int) string {
	for _, n := range lengths {
		if n > len(text) {
			continue
		}
		if _, known := labels[text[:n]]; known && endsWord(text[n:]) {
			return text[:n]
		}
	}
	return ""
}

// beginsWord reports whether an @ after the text can begin a mention: in an e-mail address or a
// path it cannot.
func beginsWord(before string) bool {
	r, size := utf8.DecodeLastRuneInString(before)
	return size == 0 || !continues(r) && !strings.ContainsRune("@.-+/\\%=&#~`", r)
}

// endsWord reports whether a label ends before the text. A dot may end a sentence, or continue the
// name of a host.
func endsWord(after string) bool {
	r, size := utf8.DecodeRuneInString(after)
	if size == 0 {
		return true
	}
	if strings.ContainsRune("-./\\@", r) {
		next, size := utf8.DecodeRuneInString(after[size:])
		return size == 0 || !isWord(next)
	}
	return !continues(r)
}

// isWord reports whether a character is part of a word.
func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// continues reports whether a character next to a label makes it part of another word. Letters of
// scripts that put no blanks between words do not.
func continues(r rune) bool { return isWord(r) && !unicode.Is(unicode.Lo, r) }

// fold makes texts comparable: in small letters, with single blanks.
func fold(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			blank = true
			continue
		}
		if blank {
			b.WriteByte(' ')
		}
		blank = false
		b.WriteRune(unicode.ToLower(r))
	}
	if blank {
		b.WriteByte(' ')
	}
	return b.String()
}

// withoutCode replaces code in Markdown, fenced or between backticks, with one backtick.
func withoutCode(text string) string {
	if !strings.ContainsAny(text, "`~") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		n := codeLength(text, i)
		if n == 0 {
			b.WriteByte(text[i])
			i++
			continue
		}
		b.WriteByte('`')
		i += n
	}
	return b.String()
}

// codeLength is the length of the code that begins at i, or 0. Backticks that nothing closes are
// themselves, taken together.
func codeLength(text string, i int) int {
	sign := text[i]
	if sign != '`' && sign != '~' || i > 0 && text[i-1] == sign {
		return 0
	}
	run := runLength(text[i:], sign)
	if run >= 3 && onlyIndent(text[:i]) {
		return run + fenceLength(text[i+run:], text[i:i+run])
	}
	if sign == '~' {
		return 0
	}
	for at := i + run; at < len(text); {
		next := strings.IndexByte(text[at:], '`')
		if next < 0 {
			break
		}
		at += next
		n := runLength(text[at:], '`')
		if at += n; n == run {
			return at - i
		}
	}
	return 0
}

// fenceLength is the length of fenced code, to the end of its closing line or of the text.
func fenceLength(text, fence string) int {
	for at := 0; ; {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
		line := strings.TrimLeft(text[at:], " ")
		if indent := len(text[at:]) - len(line); indent <= 3 && strings.HasPrefix(line, fence) {
			return at + indent + runLength(line, fence[0])
		}
	}
}

func runLength(s string, sign byte) int {
	n := 0
	for n < len(s) && s[n] == sign {
		n++
	}
	return n
}

// onlyIndent reports whether the last line of the text is at most three blanks.
func onlyIndent(before string) bool {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return len(line) <= 3 && strings.Trim(line, " ") == ""
}
