//go:build race

package bedrock_test

func init() { places = 150 }
