//go:build race

package bedrock_test

func init() { offsets = 150 }
