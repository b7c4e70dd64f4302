package openai

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/server"
)

// neutral lists, for parameters that would change what an answer is, the values that do not. Others
// are refused. null is always one of them.
var neutral = map[string][]string{
	"n": {"1"}, "logprobs": {"false"}, "top_logprobs": {"0"}, "modalities": {`["text"]`},
	"background": {"false"}, "function_call": {`"auto"`}, "functions": {"[]"}, "audio": nil,
	"web_search_options": nil, "prompt": nil, "conversation": nil,
}

// identity are the names of the caller's identity, which the credentials say, and of OpenAI's
// cache: with OpenAI they do not change the answer either.
var identity = []string{"user", "safety_identifier", "prompt_cache_key"}

// others are the members of a request that it has no field for.
type others map[string]json.RawMessage

// check refuses others that would change what an answer is. All else belongs to the agent's model,
// such as sampling and length, or is another server's: it is ignored, and named.
func (o others) check() (ignored server.Ignored, err error) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		raw := o[name]
		values, changes := neutral[name]
		switch {
		case string(raw) == "null":
		case slices.Contains(identity, name):
			if raw[0] != '"' {
				return nil, bad(name, "must be a string")
			}
		case changes && !slices.Contains(values, compact(raw)):
			return nil, unsupported(name)
		case !changes:
			ignored.Add("", name)
		}
	}
	return ignored, nil
}

// given returns a member of a request, or what stands for it if it is absent or null.
func given(raw json.RawMessage, otherwise string) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage(otherwise)
	}
	return raw
}

// compact returns JSON in one spelling: 1.0 is 1.
func compact(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	out, _ := json.Marshal(v) // it was JSON: cannot fail
	return string(out)
}

// function is a tool of the client.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
}

// offer adds the function to the tools of the page. Arguments always match their schema, strict or
// not: else the model gets an error in place of the call. at is the tool of the request, inside
// where it has the function.
func (f *function) offer(in *agui.RunAgentInput, kind, at, inside string) error {
	switch {
	case kind != "function":
		return unsupported(at + ".type")
	case f.Name == "":
		return bad(at+inside+".name", "must not be empty")
	}
	in.Tools = append(in.Tools, agui.Tool{Name: f.Name, Description: f.Description, Parameters: f.Parameters})
	return nil
}

// chosen applies tool_choice: auto, none, which offers no tool of the client, required, which must
// be kept, or one tool, which must be called.
func chosen(choice json.RawMessage, in *agui.RunAgentInput) (required bool, err error) {
	switch string(given(choice, `"auto"`)) {
	case `"auto"`:
		return false, nil
	case `"none"`:
		in.Tools = nil
		return false, nil
	case `"required"`:
		if len(in.Tools) == 0 {
			return false, bad("tool_choice", "needs tools")
		}
		return true, mustCall(in, in.Tools)
	}
	var one struct {
		Type, Name string
		Function   struct{ Name string }
	}
	if json.Unmarshal(choice, &one) != nil || one.Type != "function" {
		return false, unsupported("tool_choice")
	}
	name := one.Name + one.Function.Name
	at := slices.IndexFunc(in.Tools, func(t agui.Tool) bool { return t.Name == name })
	if at < 0 {
		return false, bad("tool_choice", fmt.Sprintf("names %q, which is not in tools", name))
	}
	return true, mustCall(in, in.Tools[at:at+1])
}

// mustCall has the run begin with a call of one of the tools.
func mustCall(in *agui.RunAgentInput, tools []agui.Tool) (err error) {
	var own struct {
		Pageside struct {
			MustCall []string `json:"mustCall"`
		} `json:"pageside"`
	}
	for _, t := range tools {
		own.Pageside.MustCall = append(own.Pageside.MustCall, t.Name)
	}
	in.ForwardedProps, err = json.Marshal(own)
	return err
}

// part is a part of a message's content, in the words of either API.
type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
	// {url, detail} of completions, a string of responses
	ImageURL json.RawMessage `json:"image_url"`
	Detail   string          `json:"detail"`
	// on texts that the server has sent
	Annotations []json.RawMessage `json:"annotations"`
	Logprobs    []json.RawMessage `json:"logprobs"`
}

// contentOf returns a message's content: a text, or parts.
func contentOf(param string, raw json.RawMessage) (agui.Content, error) {
	if raw = given(raw, ""); len(raw) == 0 {
		return agui.Content{}, nil
	}
	if raw[0] == '"' {
		var text string
		err := server.DecodeField(param, raw, &text)
		return agui.TextContent(text), err
	}
	var parts []part
	if err := server.DecodeField(param, raw, &parts); err != nil {
		return agui.Content{}, err
	}
	var out []agui.ContentPart
	for i, p := range parts {
		converted, err := p.convert(fmt.Sprintf("%s[%d]", param, i))
		if err != nil {
			return agui.Content{}, err
		}
		out = append(out, converted)
	}
	return agui.ContentOf(out), nil
}

func (p *part) convert(param string) (agui.ContentPart, error) {
	switch p.Type {
	case "text", "input_text", "output_text":
		return agui.ContentPart{Type: "text", Text: p.Text}, nil
	case "image_url", "input_image":
	default:
		return agui.ContentPart{}, unsupported(param + ".type")
	}
	url := ""
	if len(p.ImageURL) > 0 && p.ImageURL[0] == '{' {
		var image struct{ URL, Detail string }
		if json.Unmarshal(p.ImageURL, &image) == nil {
			url, p.Detail = image.URL, image.Detail
		}
	} else if len(p.ImageURL) > 0 && json.Unmarshal(p.ImageURL, &url) != nil {
		return agui.ContentPart{}, bad(param+".image_url", "must be a string")
	}
	if p.Detail != "" && p.Detail != "auto" {
		return agui.ContentPart{}, unsupported(param + ".detail")
	}
	source, ok := agui.SourceAt(url)
	if _, _, err := mime.ParseMediaType(source.MimeType); !ok || source.Type == agui.SourceData && err != nil {
		return agui.ContentPart{}, bad(param+".image_url",
			"must be the URL of an image, or a data: URL in base64 with a media type")
	}
	return agui.ContentPart{Type: agui.PartImage, Source: &source}, nil
}

// checkCalls refuses what no model provider takes: calls without results, results without calls,
// and a history that asks nothing. earlier means that results may be of calls before the messages.
func checkCalls(param string, messages []agui.Message, earlier bool) error {
	open := map[string]bool{}
	for i, m := range messages {
		at := fmt.Sprintf("%s[%d]", param, i)
		if m.Role == agui.RoleTool {
			if !open[m.ToolCallID] && !earlier {
				return bad(at, "answers no tool call before it")
			}
			delete(open, m.ToolCallID)
			continue
		}
		if len(open) > 0 && !isGuidance(&m) {
			return bad(at, "comes before the results of all tool calls")
		}
		for _, c := range m.ToolCalls {
			open[c.ID] = true
		}
	}
	said := slices.DeleteFunc(slices.Clone(messages), func(m agui.Message) bool { return isGuidance(&m) })
	if n := len(said); len(open) > 0 || n == 0 || said[n-1].Role == agui.RoleAssistant {
		return bad(param, "must end with a question, or with the results of all tool calls")
	}
	return nil
}

func isGuidance(m *agui.Message) bool {
	return m.Role == agui.RoleSystem || m.Role == agui.RoleDeveloper
}
