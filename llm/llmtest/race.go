//go:build race

package llmtest

func init() { Raced = true }
