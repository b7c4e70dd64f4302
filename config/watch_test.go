package config_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// watched is a configuration that is being watched.
type watched struct {
	*folder
	applied chan *config.Site
	refuse  chan error // what apply says next, where something is in it
	again   chan os.Signal
	log     logged.Text
}

// hangs is how long something may take that must happen. It is no measure of how fast it is.
const hangs = time.Minute

// watch serves the folder's configuration until the test ends. It has been read again once when it
// returns.
func watch(t *testing.T, f *folder) *watched {
	t.Helper()
	site := must.Get(f.build())(t)
	w := follow(t, f, site)
	w.again <- os.Interrupt // it watches from here on
	w.next()
	return w
}

// follow serves a site of the folder's until the test ends.
func follow(t *testing.T, f *folder, site *config.Site) *watched {
	t.Helper()
	w := &watched{folder: f, applied: make(chan *config.Site), refuse: make(chan error, 1), again: make(chan os.Signal)}
	options := f.options()
	options.Logger = w.log.Logger()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		done <- config.Watch(ctx, site, options, w.again, func(next *config.Site) error {
			select {
			case err := <-w.refuse:
				return err
			case w.applied <- next:
				t.Cleanup(func() { next.Close() })
				return nil
			case <-ctx.Done(): // nobody wants another one
				return ctx.Err()
			}
		})
	}()
	t.Cleanup(func() { stop(); must.Be(t, <-done, nil, "the end of watching") })
	return w
}

// next is the site that is applied next.
func (w *watched) next() *config.Site {
	w.t.Helper()
	select {
	case site := <-w.applied:
		return site
	case <-time.After(hangs):
		w.t.Fatalf("no configuration was applied. The log says\n%s", w.log.String())
		return nil
	}
}

// nothing is applied for a while.
func (w *watched) nothing(why string) {
	w.t.Helper()
	select {
	case next := <-w.applied:
		w.t.Errorf("%s: %+v. The log says\n%s", why, next.Source.File, w.log.String())
	case <-time.After(500 * time.Millisecond):
	}
}

// refuses waits until a changed file was found invalid, which must not be applied.
func (w *watched) refuses(why string) {
	w.t.Helper()
	for until := time.Now().Add(hangs); !strings.Contains(w.log.String(), "invalid"); {
		select {
		case next := <-w.applied:
			w.t.Fatalf("%s was applied: %+v", why, next.Source.File)
		case <-time.After(time.Millisecond):
			if time.Now().After(until) {
				w.t.Fatalf("%s was not found invalid. The log says\n%s", why, w.log.String())
			}
		}
	}
}

func TestAChangedFileIsBuiltAgainAndABadOneChangesNothing(t *testing.T) {
	w := watch(t, researchFolder(t))
	w.write("instructions.md", "You help with chemistry.")
	must.Be(t, w.next().Agents[0].Instructions, "You help with chemistry.", "instructions")
	w.write("pageside.yaml", "agents: 7")
	w.refuses("a bad file")
	w.write("pageside.yaml", strings.Replace(research, "title: Edit stream", "title: Change stream", 1))
	for p := range w.next().Pages.All() {
		must.Be(t, p.Title, "Change stream", "title")
	}
}

// Editors write in pieces: what is read in between may be applied too, and what counts is what is
// there in the end.
func TestAFileThatIsWrittenInPlaceIsReadWhenItIsWhole(t *testing.T) {
	w := watch(t, researchFolder(t))
	must.Do(t, os.WriteFile(filepath.Join(w.path, "instructions.md"), []byte("You help with chemistry."), 0o600))
	for w.next().Agents[0].Instructions != "You help with chemistry." {
	}
}

// Nothing is missed between reading a file and watching it.
func TestAFileThatChangedBeforeItWasWatchedIsReadAgain(t *testing.T) {
	f := researchFolder(t)
	site := must.Get(f.build())(t)
	f.write("instructions.md", "You help with chemistry.")
	w := follow(t, f, site)
	must.Be(t, w.next().Agents[0].Instructions, "You help with chemistry.", "instructions")
	w.nothing("it was read once more")
}

// What is wrong with a file may be that another one is missing: when that comes, the file is right.
func TestAFileThatRefersToAMissingOneIsReadAgainWhenThatComes(t *testing.T) {
	w := watch(t, researchFolder(t))
	w.write("pageside.yaml", strings.Replace(research, "file:instructions.md", "file:other.md", 1))
	w.refuses("a file that refers to nothing")
	w.write("other.md", "You help with physics.")
	must.Be(t, w.next().Agents[0].Instructions, "You help with physics.", "instructions")
}

// A volume of configuration shows its files through a link, and replaces them all at once by
// another link.
func TestFilesThatALinkLeadsToAreReadAgainWhenItLeadsElsewhere(t *testing.T) {
	f := newFolder(t, nil)
	place := func(version, instructions string) {
		must.Do(t, os.Mkdir(filepath.Join(f.path, version), 0o700))
		f.write(filepath.Join(version, "pageside.yaml"), "agents: [{id: a, model: x/y, instructions: "+instructions+"}]")
		must.Do(t, os.Symlink(version, filepath.Join(f.path, "data.new")))
		must.Do(t, os.Rename(filepath.Join(f.path, "data.new"), filepath.Join(f.path, "data")))
	}
	place("1", "one")
	must.Do(t, os.Symlink("data/pageside.yaml", f.file()))
	w := watch(t, f)
	place("2", "two")
	must.Be(t, w.next().Agents[0].Instructions, "two", "instructions")
}

// startsVariable names the file in which an MCP server of these tests notes that it was started.
const startsVariable = "CONFIG_TEST_STARTS"

// beMCPServer is what the test's program does as an MCP server.
func beMCPServer() {
	if f, err := os.OpenFile(os.Getenv(startsVariable), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.WriteString("started\n")
		_ = f.Close()
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	type result = mcp.CallToolResult
	again := &result{Content: []mcp.Content{&mcp.TextContent{Text: "again"}}}
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "Says it again."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*result, any, error) { return again, nil, nil })
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// serverFolder is a configuration with an MCP server.
func serverFolder(t *testing.T) *folder {
	return newFolder(t, map[string]string{"pageside.yaml": `
agents: [{id: a, model: x/y}]
mcp:
  test: {command: ` + os.Args[0] + `, env: {` + startsVariable + `: starts}, global: true, required: true}
`})
}

func (f *folder) starts() int {
	// relative to the server's folder, which is the file's
	raw, _ := os.ReadFile(filepath.Join(f.path, "starts"))
	return strings.Count(string(raw), "started")
}

func calls(t *testing.T, site *config.Site) bool {
	t.Helper()
	echo, ok := site.Tools.Get("test__echo")
	if !ok {
		t.Fatal("the server's tool is not there")
	}
	return tool.Execute(t.Context(), echo, tool.Call{ID: "1", Args: []byte(`{}`)}, func(tool.Progress) {}).Text == "again"
}

func TestServersOfWhichAFileSaysTheSameAreNotStartedAgain(t *testing.T) {
	w := watch(t, serverFolder(t)) // started once, and once more because it was asked for
	must.Be(t, w.starts(), 2, "starts of the server")
	text := string(must.Get(os.ReadFile(w.file()))(t))
	w.write("pageside.yaml", text+"pages: [{name: p}]\n")
	first := w.next()
	w.write("pageside.yaml", text+"pages: [{name: q}]\n")
	second := w.next()
	must.Be(t, w.starts(), 2, "starts of the server that is the same")
	must.Do(t, first.Close(), first.Close())
	must.Be(t, calls(t, second), true, "whether the site that is left has a session")
	w.write("pageside.yaml", strings.Replace(text, "required: true", "timeout: 50s", 1))
	must.Be(t, calls(t, w.next()), true, "whether the other server of that name answers")
	must.Be(t, w.starts(), 3, "starts, with those of the other server")
}

// goleak sees the sessions of the site that nobody took.
func TestASiteThatIsNotTakenIsClosed(t *testing.T) {
	w := watch(t, serverFolder(t))
	w.refuse <- errors.New("no")
	w.again <- os.Interrupt
	w.again <- os.Interrupt
	w.next()
	must.Be(t, w.starts(), 4, "starts of the server")
}
