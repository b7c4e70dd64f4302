package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/web"
)

//go:embed starter
var starter embed.FS

// modelName matches what needs no quotes in YAML.
var modelName = lazy.Regexp(`^[a-z][a-z0-9_-]*/[\w./@+-]+(:[\w./@+-]+)*$`)

// init writes a commented configuration and an example page into a folder.
func (a *app) init(_ context.Context, args []string) error {
	flags := flagSet("init")
	folder := flags.String("dir", ".", "the `folder` to write into; created if missing")
	model := flags.String("model", "script/answers.yaml", "`provider/name` of the model to start with")
	force := flags.Bool("force", false, "overwrite existing files")
	if err := a.parse(flags, args); err != nil {
		return err
	}
	if !modelName().MatchString(*model) {
		return fmt.Errorf("--model %q must be provider/name, such as openai/gpt-5-mini: %w", *model, errUsage)
	}
	files, err := starterFiles(*model)
	if err != nil {
		return err
	}
	if err := mayWrite(*folder, files, *force); err != nil {
		return err
	}
	if err := os.MkdirAll(*folder, 0o755); err != nil {
		return fmt.Errorf("--dir: make the folder: %w", err)
	}
	root, err := os.OpenRoot(*folder)
	if err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	defer root.Close()
	for _, f := range files {
		if err := replaceFile(root, f); err != nil {
			return fmt.Errorf("write %s: %w", filepath.Join(*folder, f.name), err)
		}
		fmt.Fprintln(a.stdout, "wrote", filepath.Join(*folder, f.name))
	}
	config := filepath.Join(*folder, "pageside.yaml")
	fmt.Fprintf(a.stdout,
		"\nTry it:  %s serve --config %s --pages %s\nThen open http://%s and ask which invoices are overdue.\n",
		self(os.Args[0]), config, *folder, defaultListen)
	return nil
}

// self returns the command that calls this program again, whether or not it is on the PATH.
func self(called string) string {
	if name := filepath.Base(called); name == "pageside" || name == "pageside.exe" {
		return called
	}
	return "pageside"
}

type starterFile struct {
	name    string
	content []byte
}

// starterFiles returns the files to write, sorted by name.
func starterFiles(model string) (files []starterFile, err error) {
	entries, err := starter.ReadDir("starter")
	if err != nil {
		return nil, fmt.Errorf("list the files to write: %w", err)
	}
	for _, e := range entries {
		raw, err := starter.ReadFile("starter/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", e.Name(), err)
		}
		if e.Name() == "pageside.yaml" {
			if raw, err = filledIn(raw, model); err != nil {
				return nil, err
			}
		}
		files = append(files, starterFile{e.Name(), raw})
	}
	return files, nil
}

func filledIn(raw []byte, model string) ([]byte, error) {
	var out bytes.Buffer
	t, err := template.New("pageside.yaml").Parse(string(raw))
	if err == nil {
		err = t.Execute(&out, struct{ Model string }{model})
	}
	if err != nil {
		return nil, fmt.Errorf("fill in pageside.yaml: %w", err)
	}
	return out.Bytes(), nil
}

// mayWrite refuses to overwrite files unless force is set. Even then it overwrites only regular
// files: a symbolic link leads elsewhere.
func mayWrite(folder string, files []starterFile, force bool) error {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("--dir: %s is not a folder", folder)
	}
	var there, odd []string
	for _, f := range files {
		switch info, err := os.Lstat(filepath.Join(folder, f.name)); {
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			there, odd = append(there, f.name), append(odd, f.name+" is a symbolic link")
		case err == nil && !info.Mode().IsRegular():
			there, odd = append(there, f.name), append(odd, f.name+" is no file")
		case err == nil:
			there = append(there, f.name)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("--dir: %w", err)
		}
	}
	switch {
	case force && len(odd) > 0:
		return fmt.Errorf("--force overwrites regular files only, and in %s %s: move it away, or choose another folder with --dir",
			folder, strings.Join(odd, ", "))
	case !force && len(there) > 0:
		return fmt.Errorf("%s already has %s; --force overwrites them, --dir chooses another folder", folder,
			strings.Join(there, ", "))
	}
	return nil
}

// replaceFile replaces a file as a whole. It never writes through a link, even one made at the last
// moment.
func replaceFile(root *os.Root, f starterFile) error {
	part := "." + f.name + "." + rand.Text()
	err := root.WriteFile(part, f.content, 0o644)
	if err == nil {
		err = root.Rename(part, f.name)
	}
	if err != nil {
		_ = root.Remove(part) // best effort
	}
	return err
}

// pagesOf returns the files of a folder together with the script tag. Close the Closer after use.
func pagesOf(folder string) (fs.FS, io.Closer, error) {
	if info, err := os.Stat(folder); err != nil {
		return nil, nil, fmt.Errorf("--pages: %w", err)
	} else if !info.IsDir() {
		return nil, nil, fmt.Errorf("--pages: %s is not a folder", folder)
	}
	root, err := os.OpenRoot(folder) // symbolic links cannot leave it
	if err != nil {
		return nil, nil, fmt.Errorf("--pages: %w", err)
	}
	return beside{root.FS(), web.Script()}, root, nil
}

// beside serves files of first, and of then where first has none.
type beside struct{ first, then fs.FS }

// published are the types of files that a page may need. The folder may also hold a configuration,
// a database and keys.
var published = map[string]bool{".html": true, ".css": true, ".js": true, ".mjs": true, ".svg": true, ".png": true, ".jpg": true, ".jpeg": true,
	".gif": true, ".webp": true, ".avif": true, ".ico": true, ".woff2": true, ".woff": true, ".map": true,
	".txt": true, ".webmanifest": true}

// Open implements fs.FS. It hides dot files, other types of files, and what is not a regular file:
// opening a pipe would block.
func (b beside) Open(name string) (fs.File, error) {
	if published[strings.ToLower(filepath.Ext(name))] && !strings.HasPrefix(name, ".") &&
		!strings.Contains(name, "/.") {
		if info, err := fs.Stat(b.first, name); err == nil && info.Mode().IsRegular() {
			return b.first.Open(name)
		}
	}
	return b.then.Open(name)
}
