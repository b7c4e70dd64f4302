package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/tool"
)

// conversation is a recording: what a browser posted, in order.
type conversation struct {
	name      string
	log       string // the base name of the log that the page showed; "" is the generated sample
	questions int
	runs      []recorded
}

// recorded is one run of a conversation.
type recorded struct {
	input   *agui.RunAgentInput
	pending []string // the tool calls that it left to the page
}

// readConversation reads gzipped JSON lines: the first says what was recorded, each of the others
// is a run.
func readConversation(name string, r io.Reader) (*conversation, error) {
	c := &conversation{name: name}
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("read the recording %s: %w", name, err)
	}
	lines := json.NewDecoder(unzipped)
	var head struct {
		Log       string
		Questions int
	}
	if err := lines.Decode(&head); err != nil {
		return nil, fmt.Errorf("read the first line of the recording %s: %w", name, err)
	}
	c.log, c.questions = head.Log, head.Questions
	for {
		run, err := readRun(lines)
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read run %d of the recording %s: %w", len(c.runs)+1, name, err)
		}
		c.runs = append(c.runs, run)
	}
}

// pageTools are the tools of the recorded page, which say nothing of their effect. Those that were
// called only changed what it showed, so nobody was asked.
func (c *conversation) pageTools() (all []config.PageTool) {
	seen := map[string]bool{}
	for _, r := range c.runs {
		for _, t := range r.input.Tools {
			if !seen[t.Name] {
				seen[t.Name] = true
				all = append(all, config.PageTool{Name: t.Name, Effect: string(tool.Read)})
			}
		}
	}
	return all
}

func readRun(lines *json.Decoder) (recorded, error) {
	var line struct {
		Body    json.RawMessage
		Pending []string
	}
	if err := lines.Decode(&line); err != nil {
		return recorded{}, err
	}
	in, err := agui.UnmarshalRunAgentInput(line.Body)
	return recorded{in, line.Pending}, err
}
