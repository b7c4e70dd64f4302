package web_test

import (
	"errors"
	"io/fs"
	"path"
	"testing"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/web"
)

// TestScriptIsNoPage: who serves the tray beside pages of their own does not serve the demo's.
func TestScriptIsNoPage(t *testing.T) {
	must.Do(t, fs.WalkDir(web.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file, err := web.Script().Open(name)
		switch allowed := forScripts(name); {
		case allowed && err != nil:
			t.Errorf("%s: %v", name, err)
		case !allowed && !errors.Is(err, fs.ErrNotExist):
			t.Errorf("%s is served: %v", name, err)
		}
		if err == nil {
			return file.Close()
		}
		return nil
	}))
	for _, page := range []string{".", "index.html", "placeholder.html"} {
		must.FailWith(t, must.Err(web.Script().Open(page)), fs.ErrNotExist, "%s", page)
	}
}

func forScripts(name string) bool {
	for _, pattern := range []string{"pageside.js", "pageside-core.js", "inspector.html", "assets/pageside-*", "assets/inspector-*"} {
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}
