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

// fit cuts the items to a budget of tokens. Every value gets the same share; what short values
// leave goes to longer ones, so the longest are cut first. If that is not enough, the last items
// are dropped, and one more item says how many. Each cut is marked in place.
func fit(list []item, budget int) (fitting []item, dropped bool) {
	limit := budget * weightPerToken
	if weightOf(list) <= limit {
		return list, false
	}
	for i := range list {
		list[i].description = cutText(list[i].description, maxDescription)
	}
	list, dropped = dropLast(list, limit)
	room, weights := limit, make([]int, len(list))
	for i, it := range list {
		room -= itemFrame + textWeight(it.description)
		weights[i] = it.value.weight
	}
	share := max(fairShare(weights, room), leastValue)
	for i := range list {
		list[i].value = cut(list[i].value, share)
	}
	return list, dropped
}

func weightOf(list []item) int {
	w := 0
	for _, it := range list {
		w += itemFrame + textWeight(it.description) + it.value.weight
	}
	return w
}

// leastOf is the weight with all values cut to the minimum.
func leastOf(list []item) int {
	w := 0
	for _, it := range list {
		w += itemFrame + textWeight(it.description) + min(it.value.weight, leastValue)
	}
	return w
}

// dropLast drops the items that do not fit even with all values cut to the minimum. At least one
// remains.
func dropLast(list []item, limit int) (kept []item, dropped bool) {
	if leastOf(list) <= limit {
		return list, false
	}
	used := 0
	for i, it := range list {
		used += itemFrame + textWeight(it.description) + min(it.value.weight, leastValue)
		if used > limit-noteWeight && i > 0 {
			return append(list[:i:i], item{fmt.Sprintf("…and %d more items are not shown", len(list)-i), stringNode("there was no room")}), true
		}
	}
	return list, false
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
	case '"':
		return stringNode(cutText(n.text, limit-2))
	case '[':
		return cutArray(n, limit)
	case '{':
		return cutObject(n, limit)
	}
	return stringNode(cutText(n.text, limit-2)) // a number of absurdly many digits
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
	for end < len(s) {
		w, size := charWeight(s[end:])
		if room -= w; room < 0 {
			break
		}
		end += size
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
