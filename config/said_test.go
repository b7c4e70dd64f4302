package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

// TestWhatIsSaidOfAFile: each of testdata is a txtar file with a rule in its header. Then come
//
//	head   what each of the files begins with, if anything
//	files  one after the other, and indented below each what is said of it, without its own name
//
// The environment has KEY, SHORT and LONG, which must not be told; FOLDER is where the file stands.
// UPDATE=1 writes what is said into them, in place of any indented line.
func TestWhatIsSaidOfAFile(t *testing.T) {
	talk.Each(t, func(t *testing.T, file *talk.File) {
		head, text, out := string(file.Section("head")), "", ""
		for line := range strings.Lines(string(file.Section("files"))) {
			if !strings.HasPrefix(line, "\t") {
				text += line
			} else if text != "" {
				out += text + "\t" + strings.ReplaceAll(saidOf(t, head+text), "\n", "\n\t") + "\n"
				text = ""
			}
		}
		must.Be(t, text, "", "a file below which nothing is said")
		file.Compare(t, "files", out)
	})
}

// saidOf is what is said of a file by its line, or nothing where a site is built.
func saidOf(t *testing.T, text string) string {
	t.Helper()
	f := permitted(t, text)
	f.env = map[string]string{"KEY": "sk-secret", "SHORT": "short-one", "LONG": strings.Repeat("long", 4)}
	if _, err := config.Load(f.file()); err != nil {
		_, all := errors.AsType[config.Errors](err)
		must.Be(t, all, true, "%s\nwhether %T is config.Errors", text, err)
	}
	_, err := f.build()
	if err == nil {
		return "nothing"
	}
	for name, secret := range f.env {
		must.Be(t, strings.Contains(err.Error(), secret), false, "%v\nwhether it tells the secret %s", err, name)
	}
	lines := strings.ReplaceAll(err.Error(), f.file()+":", "")
	return strings.TrimSpace(strings.ReplaceAll(lines, f.path, "FOLDER"))
}
