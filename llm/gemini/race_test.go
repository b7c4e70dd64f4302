//go:build race

package gemini_test

func init() { raced = true }
