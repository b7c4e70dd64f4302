package run

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/talk"
)

// A conversation is a txtar file about a manager, its store and its clients. The header says which
// rule it pins. Then come
//
//	setup         YAML: see setup. A later one, "setup renamed", is for "restart renamed"
//	conversation  what is done, one line each, and indented below it what comes of that
//
// Time stands still but for what waits, so that "after 3s" is exact. Lines are, with a user in
// front of them unless that is ada:
//
//	model calls pay {}; says done   adds a step that the model plays: see part
//	own says m1 hello               the same for an agent of somebody else's: see ownAgent
//	says {page: orders} hello       posts a message of the user, and reads the run to its end
//	posts {messages: a1(c1) t1:c1}  posts without one
//	starts hello                    posts and does not read, or waits for the thread
//	wait 3s, cancel run1, thread t2 …  see the list of commands
//
// The process of a line "dies says hello" dies meanwhile: see crashing.
//
// For "stock says hello", a client without Pageside holds its messages and sends all of them.
//
// What tools do ("ran pay {}") and which models are asked ("asked model") is told wherever it
// happens, so that a line that lacks it says that it did not happen. Every run that is read must be
// legal, numbered without gaps, and in the audit log with the results of its calls; at the end, the
// log of each run must be legal, and folded give the state that is stored. Random ids are numbered,
// and may be used so: int_1.
//
// UPDATE=1 writes what comes into the files.
func TestConversations(t *testing.T) {
	talk.Each(t, func(t *testing.T, file *talk.File) { file.Compare(t, "conversation", converse(t, file)) })
}

// converse plays a conversation, and returns it with what came.
func converse(t *testing.T, file *talk.File) string {
	lines := file.Lines("conversation")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "dies ") })
	if at >= 0 {
		return crashing{lines[:at], lines[at], lines[at+1:]}.converse(t, file)
	}
	var out strings.Builder
	synctest.Test(t, func(t *testing.T) {
		c := newConversation(t, file)
		defer c.stop() // where it has failed: twice does no harm
		talk.Play(&out, lines, &c.names, c.tell)
		c.end()
	})
	return out.String()
}

// conversation is one under way. The fixture is the process that lives.
type conversation struct {
	*fixture
	file    *talk.File
	setup   *setup
	disk    store.Store // outlives all processes
	sick    *sickStore
	ailing  string // of what
	process *faulty.Mortal
	model   *steps
	titles  *steps
	own     *ownAgent
	book    *book
	log     *logged.Text
	names   talk.Names

	mu  sync.Mutex
	ran []string // what tools and models did since the last line

	stock    map[string]*agui.Transcript // what clients hold that send everything
	runs     map[string]*Run
	waiting  []*starting
	readers  map[string]*opened
	tokens   []string        // of shares
	threads  map[string]bool // that were spoken of
	callStep int
}

func newConversation(t *testing.T, file *talk.File) *conversation {
	c := &conversation{
		file: file, names: talk.Names{Random: randomID, Of: byKind}, disk: temp.Store(t), model: &steps{}, titles: &steps{}, book: &book{}, log: &logged.Text{},
		stock: map[string]*agui.Transcript{}, runs: map[string]*Run{}, readers: map[string]*opened{}, threads: map[string]bool{},
		fixture: &fixture{t: t},
	}
	c.own = &ownAgent{c: c}
	c.setup = c.readSetup("setup")
	c.begin()
	return c
}

// tell is do without hashes and the ids of blocks.
func (c *conversation) tell(line string) (told []string) {
	for _, line := range c.do(line) {
		told = append(told, blockID.ReplaceAllString(aHash.ReplaceAllString(line, "sha256:…"), `${1}…"`))
	}
	return told
}

// do carries out a line and returns what comes of it.
func (c *conversation) do(line string) []string {
	c.t.Helper()
	who, verb, rest := "ada", "", ""
	verb, rest, _ = strings.Cut(line, " ")
	if commands[verb] == nil {
		who = verb
		verb, rest, _ = strings.Cut(rest, " ")
	}
	if commands[verb] == nil {
		c.t.Fatalf("%q: there is no command %q", line, verb)
	}
	begun := time.Now()
	told := commands[verb](c, who, c.names.Reveal(rest))
	synctest.Wait()
	told = append(told, c.decided()...)
	told = append(told, c.happened()...)
	if took := time.Since(begun); took > 0 && verb != "wait" {
		told = append(told, "after "+took.String())
	}
	return told
}

// note adds to what happened.
func (c *conversation) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ran = append(c.ran, fmt.Sprintf(format, args...))
}

// happened returns what tools and models did since the last line.
func (c *conversation) happened() (told []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	told, c.ran = c.ran, nil
	slices.Sort(told) // what happens beside each other is in no order
	return told
}

// end ends the process, and checks what is stored.
func (c *conversation) end() {
	c.stop()
	if _, tenant := c.admission.Of(ada); tenant > 0 {
		c.t.Error("runs that are over count to the limits")
	}
	for thread := range c.threads {
		rows, err := c.disk.Runs(c.t.Context(), ada, thread)
		if err != nil {
			continue // another user's
		}
		for _, row := range rows {
			if row.Status != store.RunLive && !c.setup.Purged {
				legal(c.t, decode(c.t, logOf(c.t, c.disk, row.ID)))
				wantFolded(c.t, c.disk, row.ID)
			}
		}
	}
}

var (
	randomID = regexp.MustCompile(`\b([a-z]+)_(?:[0-9a-z]{20}|[0-9A-Z]{26})\b`)
	aHash    = regexp.MustCompile(`sha256:[0-9a-f]+`)
	blockID  = regexp.MustCompile(`(id="|"id":")[0-9a-z]{20}"`)
)

func byKind(found []string) (kind, id string) { return found[1], found[0] }
