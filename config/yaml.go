package config

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/internal/lazy"
)

// parseYAML reads one YAML document. An empty one is an empty mapping.
func parseYAML(file string, raw []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	var root, second yaml.Node
	if err := dec.Decode(&root); errors.Is(err, io.EOF) {
		return &yaml.Node{Kind: yaml.MappingNode}, nil
	} else if err != nil {
		return nil, Errors{syntaxError(file, err)}
	}
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, Errors{{File: file, Line: second.Line, Reason: "there must be one document in the file"}}
	}
	return root.Content[0], nil
}

var atLine = lazy.Regexp(`^line (\d+): `)

// syntaxError converts an error of the YAML parser, which has its line only in the text.
func syntaxError(file string, err error) Error {
	e := Error{File: file, Reason: strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := atLine().FindStringSubmatch(e.Reason); m != nil {
		e.Line, _ = strconv.Atoi(m[1]) // matched digits
		e.Reason = e.Reason[len(m[0]):]
	}
	e.Reason += hints[e.Reason]
	return e
}

// hints say what the parser's messages usually mean.
var hints = map[string]string{
	"found character that cannot start any token":            ": indent with spaces, not tabs; a value that begins with @, ` or % needs quotes",
	"found a tab character that violates indentation":        ": indent with spaces",
	"mapping values are not allowed in this context":         ": a text with a colon and a space needs quotes, or a block that begins with |",
	"did not find expected key":                              ": check the indentation, and quotes that are not closed",
	"did not find expected node content":                     ": check brackets and quotes that are not closed",
	"could not find expected ':'":                            ": a key needs a colon and a space; check quotes that are not closed",
	"block sequence entries are not allowed in this context": ": a list begins on a line of its own",
}
