package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/tool"
)

// form is the JSON that the client wants an answer to be. The model is told so; what it writes is
// checked at the end, and asked for once more if it does not fit. So nothing of the text is sent
// before that.
type form struct {
	schema *tool.Schema
	source json.RawMessage
}

// formJSON is response_format of completions, and text.format of responses, which has the members
// of json_schema itself.
type formJSON struct {
	Type        string          `json:"type"`
	JSONSchema  json.RawMessage `json:"json_schema"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Strict      *bool           `json:"strict"`
}

// formOf reads a format; nil is text.
func formOf(param string, raw json.RawMessage) (*form, error) {
	if raw = given(raw, ""); len(raw) == 0 {
		return nil, nil
	}
	var in formJSON
	if err := server.DecodeField(param, raw, &in); err != nil {
		return nil, err
	}
	switch in.Type {
	case "text":
		return nil, nil
	case "json_object":
		in.Schema = json.RawMessage(`{"type":"object"}`)
	case "json_schema":
		if len(in.JSONSchema) > 0 {
			param += ".json_schema"
			if err := server.DecodeField(param, in.JSONSchema, &in); err != nil {
				return nil, err
			}
		}
		param += ".schema"
	default:
		return nil, unsupported(param + ".type")
	}
	return schemaForm(param, in.Schema)
}

func schemaForm(param string, source json.RawMessage) (*form, error) {
	if len(source) == 0 {
		return nil, bad(param, "must not be empty")
	}
	var root struct{ Type string }
	if json.Unmarshal(source, &root) != nil || root.Type != "object" {
		return nil, bad(param, `must be the schema of an object: {"type": "object", …}`)
	}
	schema, err := tool.CompileSchema(source)
	if err != nil {
		return nil, bad(param, err.Error())
	}
	return &form{schema, source}, nil
}

// instruction tells the model.
func (f *form) instruction() agui.Message {
	text := fmt.Sprintf("Answer with one JSON object, nothing before or behind it. It must match this schema:\n%s",
		f.source)
	return agui.Message{Role: agui.RoleSystem, Content: agui.TextContent(text)}
}

// read returns the object in a text, if it fits.
func (f *form) read(text string) (string, error) {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return "", errors.New("it holds no JSON object")
	}
	out, err := tool.ParseArgs(text[from:to+1], f.schema)
	return string(out), err
}

// asker asks an agent's model for structured output: Exchange.Query.
type asker func(run.Query) (json.RawMessage, run.Spending, error)

// repair has the model write an answer again in the form.
func (f *form) repair(text string, problem error, ask asker) (string, run.Spending, error) {
	out, spent, err := ask(run.Query{
		Name:         "answer",
		Instructions: "The data holds an answer that should have been JSON of a given schema. Write it again in that form. Take everything from it, and add nothing.",
		Data: []page.Item{
			{Description: "answer", Value: text}, {Description: "problem", Value: problem.Error()},
		},
		Schema: f.source,
	})
	return string(out), spent, err
}

// promise is what an answer must be, beyond an answer.
type promise struct {
	form  *form // nil is text
	calls bool  // it must call a tool of the client
	ask   asker
}

// settle makes the answer what was promised, or fails it, and returns text that was held back.
func (a *answer) settle() string {
	switch {
	case a.promise.calls && len(a.calls) == 0 && a.finish == "stop":
		a.failure = notKept("the model has called no tool, as tool_choice asks")
		return ""
	case a.promise.form == nil:
		return ""
	case a.finish != "stop": // calls, or a part of the object
		return a.text.String()
	}
	written := a.text.String()
	text, err := a.promise.form.read(written)
	if err != nil {
		var spent run.Spending
		text, spent, err = a.promise.form.repair(written, err, a.promise.ask)
		a.usage = append(a.usage, spent.Usage...)
	}
	a.text.Reset()
	if err != nil {
		a.failure = notKept("the model's answer does not have the form that was asked for: " + err.Error())
		return ""
	}
	a.text.WriteString(text)
	return text
}

func notKept(message string) *server.Error {
	return &server.Error{Status: http.StatusBadGateway, Code: "server_error", Message: message}
}
