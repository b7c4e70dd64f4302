//go:build race

package gate

func init() { raceDetector = true }
