package agent

import (
	"bytes"
	"embed"
	"encoding/json"
)

// schemaFiles are the schemas of answers to approvals, and of the arguments of built-in tools.
//
//go:embed schemas/*.json
var schemaFiles embed.FS

// schemaOf returns one of schemaFiles, in one line.
func schemaOf(name string) json.RawMessage {
	written, err := schemaFiles.ReadFile("schemas/" + name + ".json")
	var line bytes.Buffer
	if err == nil {
		err = json.Compact(&line, written)
	}
	if err != nil {
		panic("agent: read a schema: " + err.Error()) // the files are in the binary
	}
	return line.Bytes()
}
