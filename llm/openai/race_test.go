//go:build race

package openai_test

func init() { raced = true }
