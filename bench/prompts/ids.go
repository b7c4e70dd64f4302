package main

import (
	"crypto/sha256"
	"encoding/base32"
	"regexp"
	"strconv"
	"strings"
)

// ids replaces the random ids in prompts by others of the same length that differ as much, but are
// the same in every replay.
type ids struct{ known map[string]string }

var randomID = regexp.MustCompile(`(<page_context id=\\?"|call_r\d+s\d+_)([a-z2-7]+)`)

func (i *ids) steady(text string) string {
	var b strings.Builder
	end := 0
	for _, at := range randomID.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[end:at[4]])
		b.WriteString(i.of(text[at[4]:at[5]]))
		end = at[5]
	}
	return b.String() + text[end:]
}

func (i *ids) of(id string) string {
	if i.known == nil {
		i.known = map[string]string{}
	}
	if i.known[id] == "" {
		sum := sha256.Sum256([]byte(strconv.Itoa(len(i.known))))
		i.known[id] = strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:len(id)]
	}
	return i.known[id]
}
