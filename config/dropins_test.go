package config_test

import (
	"testing"
)

func TestDropInsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"dropIns: [chat]":       "",
		"dropIns: []":           "",
		"dropIns: [chad]":       `dropIns[0]: must be one of`,
		"dropIns: [chap]":       `did you mean "chat"?`,
		"dropIns: [chat, '']":   "dropIns[1]: must not be empty",
		"dropIns: [chat, chat]": `dropIns[1]: "chat" is there twice`,
		"dropIns: chat":         "dropIns: must be an array",
		"dropins: [chat]":       "dropIns",
		"personal: [a2a, mcp]":  "",
		"personal: [openai]":    "personal[0]: must be one of a2a, mcp",
		"askInWords: [chat]":    `askInWords[0]: drop-in "chat" is not defined`,
	} {
		says(t, text, want)
	}
}
