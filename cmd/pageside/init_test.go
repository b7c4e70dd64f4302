package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func initialise(args ...string) (string, error) {
	var out bytes.Buffer
	err := run(context.Background(), append([]string{"init"}, args...), environment(nil), &out, &out)
	return out.String(), err
}

// TestInitWritesWhatServes: the files can be served as they are, and the assistant answers from the page without a key.
func TestInitWritesWhatServes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	out, err := initialise("--dir", folder)
	if err != nil || !strings.Contains(out, "pageside serve --config "+filepath.Join(folder, "pageside.yaml")) {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(folder, ".env"), []byte("KEY=1"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serving(t, "serve", "--config", filepath.Join(folder, "pageside.yaml"), "--pages", folder, "--store", "sqlite:"+filepath.Join(folder, "pageside.db"))
	for path, want := range map[string]int{"/": 200, "/page.js": 200, "/page.css": 200, "/pageside.yaml": 404, "/pageside.db": 404, "/.env": 404, "/../main.go": 404} {
		if status, text := s.do("GET", path, ""); status != want {
			t.Errorf("GET %s: %d %.200s", path, status, text)
		}
	}
	status, text := s.do("POST", "/v1/agents/default/run", `{"protocolVersion":"1.0","threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"Draft a reminder."}],"tools":[],
		"context":[{"description":"Invoices on screen","value":"[{\"Invoice\":1,\"Status\":\"overdue\",\"Amount\":12,\"Customer\":\"A\"},{\"Invoice\":7,\"Status\":\"overdue\",\"Amount\":3400,\"Customer\":\"B\"}]"}],
		"state":{},"forwardedProps":{"pageside":{"page":"invoices"}}}`)
	if status != 200 || !strings.Contains(text, `"activityType":"reminder"`) || !strings.Contains(text, "3,400") {
		t.Errorf("the reminder is %d %s", status, text)
	}
	s.ends()
}

func TestInitKeepsWhatIsThere(t *testing.T) {
	folder := t.TempDir()
	mine := filepath.Join(folder, "index.html")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := initialise("--dir", folder); err == nil || !strings.Contains(err.Error(), "already has index.html") {
		t.Errorf("it says %v", err)
	}
	if raw, _ := os.ReadFile(mine); string(raw) != "mine" {
		t.Errorf("the file is now %s", raw)
	}
	if out, err := initialise("--dir", folder, "--force", "--model", "openai/gpt-5-mini"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if raw, _ := os.ReadFile(filepath.Join(folder, "pageside.yaml")); !strings.Contains(string(raw), "    use: openai/gpt-5-mini\n") || !strings.Contains(string(raw), "q={{ .query }}") {
		t.Errorf("pageside.yaml is\n%s", raw)
	}
	if _, err := initialise("--model", "nonsense"); err == nil || !strings.Contains(err.Error(), "provider/name") {
		t.Errorf("it says %v", err)
	}
}
