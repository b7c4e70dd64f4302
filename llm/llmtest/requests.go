package llmtest

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

// Requests sends the requests in the txtar files of testdata/folder. Each is a section: the request
// and, indented, the body that it becomes, byte for byte but for its line breaks. UPDATE=1 writes
// the indented lines.
//
//	-- a call and its result --
//	model claude-sonnet-4-6
//	tool f
//	user
//	text q
//	assistant
//	call a f {"n":1}
//	tools
//	result a done
//		{"model":"claude-sonnet-4-6", …
//
// What a line may be is in requestWords; other lines, such as model NAME, are in the Setup of New.
// A header that ends with a line such as "Without: model stream" leaves these members out of every
// body of the file.
func (v *Vendor) Requests(t *testing.T, folder string) {
	talk.In(t, filepath.Join("testdata", folder), func(t *testing.T, file *talk.File) {
		_, without, _ := strings.Cut(string(file.Comment), "\nWithout: ")
		file.Cases(t, func(t *testing.T, lines []string) []string {
			setup, req := ReadRequest(t, lines)
			body := Sent(t, func(c *http.Client) llm.Model {
				setup.Client = c
				return v.New(setup)
			}, v.answer(), req)
			return layOut("", body, strings.Fields(without))
		})
	})
}

// Request is a request of a txtar file in testdata.
func Request(t *testing.T, file, section string) *llm.Request {
	t.Helper()
	whole := talk.File{Archive: must.Get(txtar.ParseFile(filepath.Join("testdata", file)))(t)}
	_, req := ReadRequest(t, whole.Lines(section))
	return req
}

// answer is a whole answer.
func (v *Vendor) answer() string { return v.Said + v.Over }

// requestWords are what a line of a request may begin with. Texts are as they are, or JSON strings.
var requestWords = map[string]func(r *requestReader, rest string){
	"system": func(r *requestReader, rest string) { r.System = append(r.System, llm.Block{Text: unquote(rest)}) },
	"cached": func(r *requestReader, rest string) {
		r.System = append(r.System, llm.Block{Text: unquote(rest), Cache: true})
	},
	// a tool, and what is to be said of it
	"tool":        func(r *requestReader, rest string) { r.Tools = append(r.Tools, llm.ToolDecl{Name: rest}) },
	"description": func(r *requestReader, rest string) { r.tool().Description = rest },
	"schema":      func(r *requestReader, rest string) { r.tool().Parameters = json.RawMessage(rest) },
	"strict":      func(r *requestReader, _ string) { r.tool().Strict = true },
	// a message, and its content
	"user": func(r *requestReader, _ string) { r.begin(llm.RoleUser) },
	// not even hello
	"nothing":   func(r *requestReader, _ string) { r.Messages = []llm.Message{} },
	"assistant": func(r *requestReader, _ string) { r.begin(llm.RoleAssistant) },
	"tools":     func(r *requestReader, _ string) { r.begin(llm.RoleTool) },
	"text":      func(r *requestReader, rest string) { r.add(llm.Text{Text: unquote(rest)}) },
	"quoted":    func(r *requestReader, rest string) { r.add(llm.Text{Quoted: json.RawMessage(rest)}) },
	"thought":   func(r *requestReader, rest string) { r.add(llm.Reasoning{Text: rest}) },
	// of the thought or call before
	"opaque": func(r *requestReader, rest string) { r.sign(rest) },
	"call": func(r *requestReader, rest string) {
		f := fields(rest, 3)
		r.add(llm.ToolCall{ID: f[0], Name: f[1], Args: f[2]})
	},
	"result": func(r *requestReader, rest string) { r.add(result(rest)) },
	"failed": func(r *requestReader, rest string) { failed := result(rest); failed.IsError = true; r.add(failed) },
	"media": func(r *requestReader, rest string) { // kind, type or -, data or address, name
		f := fields(rest, 4)
		m := llm.Media{Kind: f[0], MimeType: strings.TrimPrefix(f[1], "-"), Name: f[3]}
		if strings.HasPrefix(f[2], "https:") {
			m.URL = f[2]
		} else {
			m.Data = f[2]
		}
		r.add(m)
	},
	// what else is asked for
	"choice":      func(r *requestReader, rest string) { r.Choice = llm.Choice(rest) },
	"effort":      func(r *requestReader, rest string) { r.Effort = rest },
	"limit":       func(r *requestReader, rest string) { r.MaxTokens = must.Get(strconv.Atoi(rest))(r.t) },
	"temperature": func(r *requestReader, rest string) { r.Temperature = new(must.Get(strconv.ParseFloat(rest, 64))(r.t)) },
	"sequential":  func(r *requestReader, _ string) { r.Sequential = true },
	"cachekey":    func(r *requestReader, rest string) { r.CacheKey = rest },
	"extra": func(r *requestReader, rest string) {
		f := fields(rest, 2)
		if r.Extra == nil {
			r.Extra = map[string]json.RawMessage{}
		}
		r.Extra[f[0]] = json.RawMessage(f[1])
	},
}

// requestReader is a request that is being read.
type requestReader struct {
	llm.Request
	t *testing.T
}

func (r *requestReader) tool() *llm.ToolDecl { return &r.Tools[len(r.Tools)-1] }

func (r *requestReader) begin(role string) { r.Messages = append(r.Messages, llm.Message{Role: role}) }

func (r *requestReader) add(c llm.Content) {
	m := &r.Messages[len(r.Messages)-1]
	m.Content = append(m.Content, c)
}

func (r *requestReader) sign(opaque string) {
	content := r.Messages[len(r.Messages)-1].Content
	switch c := content[len(content)-1].(type) {
	case llm.Reasoning:
		c.Opaque = opaque
		content[len(content)-1] = c
	case llm.ToolCall:
		c.Opaque = opaque
		content[len(content)-1] = c
	default:
		r.t.Fatalf("%T has nothing opaque", c)
	}
}

func result(rest string) llm.ToolResult {
	f := fields(rest, 2)
	return llm.ToolResult{ID: f[0], Content: llm.Text{Text: unquote(f[1])}}
}

// fields splits a line into n fields, the last of which goes to the end; missing ones are empty,
// and one with a blank is a JSON string.
func fields(line string, n int) []string {
	all := make([]string, n)
	for i := range n - 1 {
		read := json.NewDecoder(strings.NewReader(line))
		if strings.HasPrefix(line, `"`) && read.Decode(&all[i]) == nil {
			line = strings.TrimPrefix(line[read.InputOffset():], " ")
		} else {
			all[i], line, _ = strings.Cut(line, " ")
		}
	}
	all[n-1] = line
	return all
}

// unquote reads a text that may be a JSON string.
func unquote(text string) string {
	var s string
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

// ReadRequest reads the lines of a section. Without a message, the request says hello.
func ReadRequest(t *testing.T, lines []string) (setup Setup, req *llm.Request) {
	t.Helper()
	r := requestReader{t: t}
	setup.With = map[string]string{}
	for _, line := range lines {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if word == "" || word == "#" {
			continue
		}
		if read := requestWords[word]; read != nil {
			read(&r, rest)
		} else {
			setup.With[word] = rest
		}
	}
	if r.Messages == nil {
		r.Messages = Hello.Messages
	}
	return setup, &r.Request
}

// layOut breaks a JSON document into lines, where it is too long for one, without members that are
// left out. Everything else stays as it is, to the byte.
func layOut(indent, doc string, without []string) []string {
	const long = 110
	if len(doc) <= long-len(indent) && without == nil || doc[0] != '{' && doc[0] != '[' {
		return []string{indent + doc}
	}
	lines := []string{indent + doc[:1]}
	children := slices.DeleteFunc(split(doc), func(child string) bool {
		name, _, ok := strings.Cut(strings.TrimPrefix(child, `"`), `":`)
		return ok && doc[0] == '{' && slices.Contains(without, name)
	})
	for i, child := range children {
		name := ""
		if doc[0] == '{' {
			end := strings.Index(child, `":`) + 2
			name, child = child[:end], child[end:]
		}
		inside := layOut(indent+"  ", child, nil)
		if len(inside) == 1 || len(name)+len(inside[0]) > 0 {
			inside[0] = indent + "  " + name + strings.TrimPrefix(inside[0], indent+"  ")
		}
		if i < len(children)-1 {
			inside[len(inside)-1] += ","
		}
		lines = append(lines, inside...)
	}
	return append(lines, indent+doc[len(doc)-1:])
}

// split returns the members of an object or the items of a list.
func split(doc string) (children []string) {
	depth, start, quoted := 0, 1, false
	for i := 0; i < len(doc); i++ {
		switch c := doc[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if end := depth == 0; end || depth == 1 && doc[i] == ',' && !quoted {
			if child := doc[start:i]; child != "" {
				children = append(children, child)
			}
			start = i + 1
		}
	}
	return children
}
