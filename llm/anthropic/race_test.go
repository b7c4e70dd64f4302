//go:build race

package anthropic_test

func init() { raced = true }
