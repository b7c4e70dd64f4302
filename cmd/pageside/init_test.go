package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pageside/pageside/test/must"
)

func initialise(t *testing.T, args ...string) (string, error) {
	return printed(t, nil, append([]string{"init"}, args...)...)
}

// TestInitWritesWhatServes: the files can be served as they are, and the assistant answers from the
// page without a key.
func TestInitWritesWhatServes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	out, err := initialise(t, "--dir", folder)
	if err != nil || !strings.Contains(out, "pageside serve --config "+filepath.Join(folder, "pageside.yaml")) {
		t.Fatalf("%v: %s", err, out)
	}
	write(t, filepath.Join(folder, ".env"), "KEY=1")
	s := serving(t, "serve", "--config", filepath.Join(folder, "pageside.yaml"), "--pages", folder, "--store", "sqlite:"+filepath.Join(folder, "pageside.db"))
	for path, want := range map[string]int{"/": 200, "/page.js": 200, "/page.css": 200, "/pageside.yaml": 404, "/pageside.db": 404, "/.env": 404, "/../main.go": 404} {
		s.wants(person{}, "GET", path, "", want)
	}
	s.wants(person{}, "POST", "/v1/agents/default/run", `{"protocolVersion":"1.0","threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"Draft a reminder."}],"tools":[],
		"context":[{"description":"Invoices on screen","value":"[{\"Invoice\":1,\"Status\":\"overdue\",\"Amount\":12,\"Customer\":\"A\"},{\"Invoice\":7,\"Status\":\"overdue\",\"Amount\":3400,\"Customer\":\"B\"}]"}],
		"state":{},"forwardedProps":{"pageside":{"page":"invoices"}}}`, 200,
		`"activityType":"reminder"`, "3,400")
	s.ends()
}

func TestInitKeepsWhatIsThere(t *testing.T) {
	folder := t.TempDir()
	mine := filepath.Join(folder, "index.html")
	write(t, mine, "mine")
	_, err := initialise(t, "--dir", folder)
	must.Fail(t, err, "already has index.html", "error")
	must.Be(t, contents(t, mine), "mine", "the file")
	must.Get(initialise(t, "--dir", folder, "--force", "--model", "openai/gpt-5-mini"))(t)
	has(t, contents(t, filepath.Join(folder, "pageside.yaml")), "    use: openai/gpt-5-mini\n", "q={{ .query }}")
	_, err = initialise(t, "--model", "nonsense")
	must.Fail(t, err, "provider/name", "error")
}

// TestPagesStayInTheirFolder: links out of it, what is hidden, and what is no file are not there.
func TestPagesStayInTheirFolder(t *testing.T) {
	folder, outside := t.TempDir(), t.TempDir()
	for name, content := range map[string]string{"index.html": "hello", "sub/page.html": "sub", ".git/config.html": "hidden", ".hidden.html": "hidden", "sub/.hidden.html": "hidden", "pageside.yaml": "keys"} {
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700), os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600)))
	}
	secret := filepath.Join(outside, "secret.html")
	err := errors.Join(os.WriteFile(secret, []byte("secret"), 0o600), os.Symlink(secret, filepath.Join(folder, "link.html")), os.Symlink(outside, filepath.Join(folder, "out")),
		os.Symlink("index.html", filepath.Join(folder, "inside.html")), os.MkdirAll(filepath.Join(folder, "folder.html"), 0o700), syscall.Mkfifo(filepath.Join(folder, "pipe.html"), 0o600))
	must.Do(t, err)
	s := serving(t, "serve", "--model", "script/"+rulesFile(t), "--pages", folder, "--store", "sqlite:"+filepath.Join(outside, "pageside.db"))
	for path, want := range map[string]int{"/": 200, "/sub/page.html": 200, "/inside.html": 200, "/link.html": 404, "/out/secret.html": 404, "/.hidden.html": 404, "/sub/.hidden.html": 404, "/.git/config.html": 404,
		"/pageside.yaml": 404, "/folder.html": 404, "/pipe.html": 404, "/..%2fsecret.html": 404, "/%2e%2e/" + filepath.Base(outside) + "/secret.html": 404, "/sub/..%2f..%2fsecret.html": 404, "/%00.html": 404, "/inside.html%00.yaml": 404} {
		s.wants(person{}, "GET", path, "", want, "!secret\"")
	}
	s.ends()
}

// TestSelf: what init proposes works where the program is not on the PATH.
func TestSelf(t *testing.T) {
	for called, want := range map[string]string{"./bin/pageside": "./bin/pageside", "pageside": "pageside", "/tmp/x/pageside.test": "pageside", "": "pageside"} {
		must.Be(t, self(called), want, "%s", called)
	}
}

// TestInitSaysWhatIsWrong: a folder that is none, and a model that would break the configuration.
func TestInitSaysWhatIsWrong(t *testing.T) {
	_, err := initialise(t, "--dir", rulesFile(t))
	must.Fail(t, err, "is not a folder", "error")
	for _, model := range []string{"openai/", "/x", "openai/a: b", "openai/a #b", "openai/a\nstore: x", "openai/{{x}}", "*a/b", "openai/a b"} {
		_, err := initialise(t, "--dir", filepath.Join(t.TempDir(), "new"), "--model", model)
		must.Fail(t, err, "provider/name", "error")
	}
	for _, model := range []string{
		"ollama/llama3.2:3b-instruct-q4_K_M", "bedrock/eu.anthropic.claude-haiku-4-5-v1:0", "openai/org/model@2",
	} {
		must.Get(initialise(t, "--dir", filepath.Join(t.TempDir(), "new"), "--model", model))(t)
	}
}

// TestInitWritesThroughNoLink: --force writes over files of the folder, and over nothing that a
// link leads to.
func TestInitWritesThroughNoLink(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	precious := filepath.Join(elsewhere, "precious.txt")
	write(t, precious, "mine")
	link := filepath.Join(folder, "index.html")
	for name, make := range map[string]func() error{
		"index.html is a symbolic link": func() error { return os.Symlink(precious, link) },
		// to what is not there yet
		"index.html is a symbolic": func() error { return os.Symlink(filepath.Join(elsewhere, "new.txt"), link) },
		"index.html is no file":    func() error { return os.Mkdir(link, 0o700) },
	} {
		must.Do(t, make())
		_, err := initialise(t, "--dir", folder, "--force")
		must.Fail(t, err, name, "error")
		must.Be(t, len(must.Get(os.ReadDir(folder))(t)), 1, "files, of which none was written")
		must.Do(t, os.Remove(link))
	}
	must.Be(t, contents(t, precious), "mine", "the file outside")
	if _, err := os.Stat(filepath.Join(elsewhere, "new.txt")); err == nil {
		t.Error("a file was made outside")
	}

	// A link that is made after the look at the folder is replaced, not followed.
	root := must.Get(os.OpenRoot(folder))(t)
	defer root.Close()
	inside := filepath.Join(folder, "other.txt")
	must.Do(t, os.WriteFile(inside, []byte("mine"), 0o600), os.Symlink("other.txt", link),
		replaceFile(root, starterFile{"index.html", []byte("new")}))
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v %v", info, err)
	}
	must.Be(t, contents(t, inside), "mine", "what the link led to")
}
