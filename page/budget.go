package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	itemFrame       = 32  // weight of an item without description and value
	maxDescription  = 240 // maximum weight of a description
	leastValue      = 48  // a value is not cut below this: the marker needs as much
	noteWeight      = 100 // of the item that counts omitted items
	markerReserve   = 40  // kept free for the marker of a cut
	longestLastWord = 40  // how far back a cut looks for a word boundary, in bytes
)

// Budget bounds page context, in estimated tokens.
type Budget struct {
	Tokens int // for the items together, but for those that Whole is for
	// for the texts and schemas among plain items: they mean little in part, and nothing returns
	// the rest. 0 means that they share Tokens
	Whole int
}

// fitAll fits the items to the budget, and returns how many were dropped.
func (b Budget) fitAll(list []*item) (dropped int) {
	var whole, rest []*item
	for _, it := range list {
		if b.Whole > 0 && it.given.Plain && (it.value.kind == '"' || it.schema) {
			whole = append(whole, it)
		} else {
			rest = append(rest, it)
		}
	}
	return fit(whole, b.Whole) + fit(rest, b.Tokens)
}

// fit cuts the items to a budget of tokens, and returns how many it dropped. Every value gets the
// same share; what short values leave goes to longer ones, so the longest are cut first. Mentioned
// items share what the least of the others leaves, and the others what remains. If that is not
// enough, items are dropped. Each cut is marked in place.
func fit(list []*item, budget int) (dropped int) {
	limit := budget * weightPerToken
	if total(list, (*item).weight) <= limit {
		return 0
	}
	for _, it := range list {
		it.load()
		it.describe(cutText(it.description, maxDescription))
	}
	if dropped = dropLast(list, limit); dropped > 0 {
		limit -= leftOut(dropped).weight()
	}
	var mentioned, others []*item
	for _, it := range list {
		switch {
		case it.dropped:
			continue
		case it.given.Mentioned:
			mentioned = append(mentioned, it)
		default:
			others = append(others, it)
		}
		limit -= it.frame()
	}
	used := cutTo(mentioned, limit-total(others, (*item).least))
	cutTo(others, limit-used)
	return dropped
}

// cutTo cuts the values of items to fit into room together. It returns their weight.
func cutTo(list []*item, room int) (weight int) {
	weights := make([]int, len(list))
	for i, it := range list {
		weights[i] = it.value.weight
	}
	share := max(fairShare(weights, room), leastValue)
	for _, it := range list {
		it.cut = it.cut || it.value.weight > share
		it.value = cut(it.value, share)
		weight += it.value.weight
	}
	return weight
}

func (it *item) weight() int { return it.frame() + it.value.weight }

// least is the weight of the item's value, cut to the minimum.
func (it *item) least() int { return min(it.value.weight, leastValue) }

// total adds up a weight of items.
func total(list []*item, weight func(*item) int) (sum int) {
	for _, it := range list {
		sum += weight(it)
	}
	return sum
}

// dropLast drops the items that do not fit even with all values cut to the minimum, and returns how
// many. Mentioned items are kept first; at least one item remains.
func dropLast(list []*item, limit int) (dropped int) {
	least := func(it *item) int { return it.frame() + it.least() }
	if total(list, least) <= limit {
		return 0
	}
	used := 0
	for _, mentioned := range []bool{true, false} {
		for _, it := range list {
			if it.given.Mentioned != mentioned {
				continue
			}
			if used += least(it); used > limit-noteWeight && used > least(it) {
				it.dropped, it.cut = true, true
				dropped++
			}
		}
	}
	return dropped
}

// leftOut is the item that counts the items that were dropped.
func leftOut(n int) *item {
	return &item{
		description: fmt.Sprintf("…and %d more items are not shown", n), value: stringNode("there was no room"),
	}
}

// fairShare returns the weight above which values are cut so that all together fit into room.
func fairShare(weights []int, room int) int {
	sorted := slices.Sorted(slices.Values(weights))
	for i, w := range sorted {
		share := room / (len(sorted) - i)
		if w > share {
			return share
		}
		room -= w
	}
	return math.MaxInt
}

// cut returns n cut to the limit.
func cut(n node, limit int) node {
	if n.weight <= limit {
		return n
	}
	switch n.kind {
	case '[':
		return cutArray(n, limit)
	case '{':
		return cutObject(n, limit)
	}
	return stringNode(cutText(n.text, limit-2)) // a text, or a number of absurdly many digits
}

// cutArray keeps the first elements, and at least part of the first.
func cutArray(n node, limit int) node {
	kept := node{kind: '['}
	room := limit - 2 - markerReserve
	for i, child := range n.children {
		if n.memberWeight(i) > room {
			if i == 0 && room > leastValue && child.kind != '0' {
				kept.children = append(kept.children, cut(child, room))
			}
			break
		}
		kept.children = append(kept.children, child)
		room -= n.memberWeight(i)
	}
	if rest := len(n.children) - len(kept.children); rest > 0 {
		kept.children = append(kept.children, stringNode(more(rest, len(kept.children) > 0)))
	}
	return kept.weigh()
}

// cutObject gives every member its share, and drops the last ones if there are too many.
func cutObject(n node, limit int) node {
	room := limit - 2
	fitting := membersThatFit(n, room)
	if fitting < len(n.children) {
		room -= markerReserve
	}
	weights := make([]int, fitting)
	for i := range fitting {
		room -= n.frameWeight(i)
		weights[i] = n.children[i].weight
	}
	share := max(fairShare(weights, room), leastValue)
	kept := node{kind: '{'}
	for i := range fitting {
		kept.names = append(kept.names, n.names[i])
		kept.children = append(kept.children, cut(n.children[i], share))
	}
	if rest := len(n.children) - fitting; rest > 0 {
		kept.names = append(kept.names, "…")
		kept.children = append(kept.children, stringNode(more(rest, fitting > 0)))
	}
	return kept.weigh()
}

// membersThatFit returns how many members fit with each cut to the minimum.
func membersThatFit(n node, room int) int {
	need := func(i int) int { return n.frameWeight(i) + min(n.children[i].weight, leastValue) }
	used := 0
	for i := range n.children {
		used += need(i)
	}
	if used <= room {
		return len(n.children)
	}
	used = markerReserve
	for i := range n.children {
		if used += need(i); used > room {
			return i
		}
	}
	return len(n.children)
}

func more(n int, some bool) string {
	if some {
		return fmt.Sprintf("…and %d more", n)
	}
	return fmt.Sprintf("…%d not shown", n)
}

// cutText cuts s to the limit, at a word boundary if one is near, and says how much is missing.
func cutText(s string, limit int) string {
	if textWeight(s) <= limit {
		return s
	}
	room, end := limit-markerReserve, 0
	for ; end < len(s); end++ {
		if room -= int(byteWeights[s[end]]); room < 0 {
			break
		}
	}
	end = wordEnd(s, end)
	rest := utf8.RuneCountInString(s[end:])
	return fmt.Sprintf("%s…[cut, %d more characters]", strings.TrimRightFunc(s[:end], unicode.IsSpace), rest)
}

// wordEnd moves end back to the end of a word, unless the word is absurdly long.
func wordEnd(s string, end int) int {
	if end == len(s) || s[end] == ' ' || s[end] == '\n' {
		return end
	}
	if i := strings.LastIndexAny(s[:end], " \n\t"); i > 0 && end-i <= longestLastWord {
		return i
	}
	return end
}
