package llmtest

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

// Answers plays the answers in the txtar files of testdata/folder, each of which is a section: what
// the provider sends and, indented, what a model makes of it. UPDATE=1 writes the indented lines.
//
//	-- a call in pieces --
//	call 0 "a" "f" "{"
//	{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}}]}
//	finish tool_calls
//		call 0 a f {} end
//		finish tools
//
// Each line is a document in a frame of its own, written out or as one of the words of
// testdata/folder/words.txt. A line of bytes without a frame begins with raw. A section that begins
// with HTTP, a status and a content type is a response of its own, perhaps with other headers, and
// its body is what follows. Answers that any provider may give are in llmtest's own testdata.
func (v *Vendor) Answers(t *testing.T, folder string) {
	folder = filepath.Join("testdata", folder)
	words := ReadWords(t, filepath.Join(folder, "words.txt"))
	var response *http.Response
	m := v.Model(&http.Client{Transport: Transport(func(r *http.Request) (*http.Response, error) {
		response.Request = r
		return response, nil
	})})
	common := filepath.Join("..", "llmtest", "testdata", "answers")
	for _, folder := range []string{folder, common} {
		if v.Binary && folder == common {
			continue
		}
		talk.In(t, folder, func(t *testing.T, file *talk.File) {
			file.Cases(t, func(t *testing.T, lines []string) []string {
				sent := v.sends(lines, words)
				play := func(n int) []string {
					response = sent.response(n)
					a := Ask(t, t.Context(), m, Hello)
					v.checkError(t, &a, m)
					return a.told()
				}
				whole := play(len(sent.body) + 1)
				must.Be(t, strings.Join(play(1), "\n"), strings.Join(whole, "\n"), "byte by byte")
				return whole
			})
		})
	}
}

// checkError checks what holds for every error: it tells neither the key nor the provider's words,
// and no call ends before it.
func (v *Vendor) checkError(t *testing.T, a *Answer, m llm.Model) {
	t.Helper()
	if a.Err == nil {
		return
	}
	must.Be(t, a.Err.Model, m.Info().Name(), "the model of the error")
	all := fmt.Sprintf("%v %v %+v", a.Err, a.Err.Err, a.Err)
	for _, secret := range []string{cmp.Or(v.Key, "AKIA"), "0123456789", "1234567890", "arn:", "<html>", "nginx"} {
		if strings.Contains(all, secret) {
			t.Errorf("%s is in the error: %s", secret, all)
		}
	}
	if a.Kind() == llm.KindOverloaded && !a.Err.Retryable() {
		t.Errorf("not to be tried again: %v", a.Err)
	}
	for _, c := range a.Calls {
		if c.Ended {
			t.Errorf("a call ended before the error: %+v", c)
		}
	}
}

// answered is what a provider answers.
type answered struct {
	status int
	header http.Header
	body   string
}

// response is the answer, of which each read gives n bytes.
func (a *answered) response(n int) *http.Response {
	body := io.NopCloser(&CutReader{Data: []byte(a.body), N: n})
	return &http.Response{StatusCode: a.status, Header: a.header, Body: body}
}

var headerLine = regexp.MustCompile(`^([A-Z][\w-]*): (.*)$`)

// sends reads the lines of a section.
func (v *Vendor) sends(lines []string, words Words) *answered {
	a := &answered{status: http.StatusOK, header: EventStream.Clone()}
	stream := true
	for _, line := range lines {
		line = strings.TrimSuffix(line, "\n")
		if first, raw, _ := strings.Cut(line, " "); first == "raw" {
			a.body += raw + "\n"
			continue
		} else if line == "" || first == "#" {
			continue
		}
		var kind string
		if n, _ := fmt.Sscanf(line, "HTTP %d %s", &a.status, &kind); n > 0 {
			a.header, stream = http.Header{"Content-Type": {kind}}, kind == EventStream.Get("Content-Type")
		} else if h := headerLine.FindStringSubmatch(line); h != nil {
			a.header.Set(h[1], h[2])
		} else if stream {
			for _, doc := range words.Spell(line) {
				a.body += v.frame(doc)
			}
		} else {
			a.body += strings.ReplaceAll(line, "$KEY", v.Key) + "\n"
		}
	}
	return a
}

// frame is a document as the provider sends it.
func (v *Vendor) frame(doc string) string {
	if v.Frame != nil {
		return v.Frame(doc)
	}
	return SSE(doc)
}
