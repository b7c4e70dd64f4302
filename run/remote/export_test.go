package remote

import (
	"io"

	"github.com/pageside/pageside/run"
)

// Play reads a stream as that of an agent.
func Play(id string, src io.Reader, out run.Output) (run.Outcome, error) {
	a, err := New(Config{ID: id, URL: "https://agents.example.com/run"})
	if err != nil {
		return run.Outcome{}, err
	}
	return newStream(a, run.Input{ThreadID: "t", RunID: "r"}, src).play(out)
}
