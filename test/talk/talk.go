// Package talk is what tests share that are written as conversations: txtar files in a package's
// testdata, whose header says which rule each pins, with what is done and what must come of it.
//
//	talk.Each(t, func(t *testing.T, file *talk.File) {
//		file.Compare(t, "events", run(file.Section("setup")))
//	})
package talk

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/pageside/pageside/test/must"
)

// Update has what came written into the files, in place of being compared with them.
var Update = os.Getenv("UPDATE") != ""

// File is one conversation.
type File struct{ *txtar.Archive }

// Each runs a test for each conversation of the package, of which there must be some. With Update
// it then writes the file.
func Each(t *testing.T, test func(t *testing.T, file *File)) { In(t, "testdata", test) }

// In is Each for the conversations of a folder.
func In(t *testing.T, folder string, test func(t *testing.T, file *File)) {
	folder = must.Get(filepath.Abs(folder))(t) // whatever folder a test changes to
	names, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatal("no conversations", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { Open(t, name, test) })
	}
}

// Open runs a test for one file. With Update it then writes it.
func Open(t *testing.T, name string, test func(t *testing.T, file *File)) {
	t.Helper()
	file := &File{must.Get(txtar.ParseFile(name))(t)}
	if len(file.Comment) < 20 {
		t.Error("the header must say which rule the conversation pins")
	}
	if test(t, file); Update {
		must.Do(t, os.WriteFile(name, txtar.Format(file.Archive), 0o600))
	}
}

// Lines is Open for a file each of whose lines is a case: do gets it with the name of its section,
// and returns what comes of it, which stands behind it, indented.
func Lines(t *testing.T, name string, do func(t *testing.T, section, line string) (told []string)) {
	t.Helper()
	Open(t, name, func(t *testing.T, file *File) {
		for _, s := range file.Files {
			t.Run(s.Name, func(t *testing.T) {
				var out strings.Builder
				Play(&out, file.Lines(s.Name), new(Names), func(line string) []string { return do(t, s.Name, line) })
				file.Compare(t, s.Name, out.String())
			})
		}
	})
}

func (f *File) find(name string) *txtar.File {
	i := slices.IndexFunc(f.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Files[i]
}

// Section returns a section of the file; nil if it has none of that name.
func (f *File) Section(name string) []byte {
	if s := f.find(name); s != nil {
		return s.Data
	}
	return nil
}

// Compare fails the test if what came is not the section, where the file has it.
func (f *File) Compare(t *testing.T, name, got string) {
	t.Helper()
	s := f.find(name)
	if s == nil {
		return
	}
	if Update {
		s.Data = []byte(got)
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(s.Data), "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			rest, wanted := g[min(i, len(g)):min(i+1, len(g))], w[min(i, len(w)):min(i+3, len(w))]
			t.Errorf("line %d of %s is\n%s\nwant\n%s\nall of it:\n%s", i+1, name, strings.Join(rest, ""), strings.Join(wanted, "\n"), got)
			return
		}
	}
}

// Lines returns what is done in a section: its lines without the indented ones, which say what came
// the last time.
func (f *File) Lines(name string) []string {
	return slices.DeleteFunc(strings.SplitAfter(string(f.Section(name)), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "\t")
	})
}

// Cases runs a test for each section of the file, which gets what is done in it and returns what
// comes of that, line by line: it stands behind, indented.
func (f *File) Cases(t *testing.T, test func(t *testing.T, lines []string) (told []string)) {
	for i, s := range f.Files {
		t.Run(s.Name, func(t *testing.T) {
			lines := f.Lines(s.Name)
			got := strings.TrimRight(strings.Join(lines, ""), "\n") + "\n"
			for _, told := range test(t, lines) {
				got += "\t" + told + "\n"
			}
			if i < len(f.Files)-1 {
				got += "\n"
			}
			f.Compare(t, s.Name, got)
		})
	}
}

// Play does what lines say, but for blank ones and those that begin with #, and writes them with
// what comes.
func Play(out *strings.Builder, lines []string, names *Names, do func(line string) (told []string)) {
	for _, line := range lines {
		out.WriteString(line)
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for _, told := range do(line) {
			out.WriteString("\t" + names.hide(told) + "\n")
		}
	}
}

// Names numbers random ids in the order in which they are told, as in int_1.
type Names struct {
	Random *regexp.Regexp // finds ids; without it there are none
	// Of says of what Random has found, and its groups, what is numbered, and by which kind.
	Of func(found []string) (kind, id string)

	numbered, random map[string]string
	counts           map[string]int
}

var aName = regexp.MustCompile(`\b[a-z]+_[0-9]+\b`)

func (n *Names) hide(line string) string {
	if n.Random == nil {
		return line
	}
	if n.numbered == nil {
		n.numbered, n.random, n.counts = map[string]string{}, map[string]string{}, map[string]int{}
	}
	return n.Random.ReplaceAllStringFunc(line, func(found string) string {
		kind, id := n.Of(n.Random.FindStringSubmatch(found))
		if n.numbered[id] == "" {
			n.counts[kind]++
			n.numbered[id] = fmt.Sprintf("%s_%d", kind, n.counts[kind])
			n.random[n.numbered[id]] = id
		}
		return strings.Replace(found, id, n.numbered[id], 1)
	})
}

// Reveal puts ids back in the place of their numbers.
func (n *Names) Reveal(line string) string {
	return aName.ReplaceAllStringFunc(line, func(name string) string { return cmp.Or(n.random[name], name) })
}
