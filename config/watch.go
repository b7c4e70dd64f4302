package config

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/pageside/pageside/internal/guard"
)

// settle is how long a file must stay unchanged before it is read: editors write in pieces.
const settle = 150 * time.Millisecond

// Watch rebuilds the site whenever its file or one that it refers to changes, and whenever again
// delivers a signal. It passes each new site to apply, which takes ownership unless it returns an
// error, and says in the log what holds now. An invalid file is logged and changes nothing.
//
// Sessions with MCP servers are kept if the file's entries for them are unchanged; a signal from
// again replaces them all. Watch returns when ctx ends.
func Watch(ctx context.Context, site *Site, o Options, again <-chan os.Signal, apply func(*Site) error) error {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch the configuration: %w", err)
	}
	defer notify.Close()
	w := &watch{notify: notify, log: o.Logger, site: site, options: o, apply: apply}
	if w.log == nil {
		w.log = slog.Default()
	}
	w.quiet = time.NewTimer(time.Hour)
	w.quiet.Stop()
	w.watchFiles(site.Source)
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-notify.Events:
			if w.concerns(e) {
				w.quiet.Reset(settle)
			}
		case err := <-notify.Errors:
			w.log.Warn("watching the configuration", "error", err)
		case <-again:
			w.reload(ctx, nil)
		case <-w.quiet.C:
			w.reload(ctx, w.site)
		}
	}
}

// watch is the state of Watch.
type watch struct {
	notify  *fsnotify.Watcher
	log     *slog.Logger
	options Options
	apply   func(*Site) error
	site    *Site             // the current site
	files   map[string]string // absolute path → the path with symbolic links followed
	quiet   *time.Timer       // fires when the files have settled
}

// reload builds and applies the file as it is now. It reuses the sessions of before unless that is
// nil.
func (w *watch) reload(ctx context.Context, before *Site) {
	for name := range w.files { // first, so that changes during the read are noticed
		w.files[name] = resolved(name)
	}
	source, err := w.replace(ctx, before)
	if err != nil {
		w.log.Error("the changed configuration is invalid; the previous one stays in place", "error", err)
	}
	// Watch the files of an invalid configuration too: the fix may be in one of them.
	w.watchFiles(w.site.Source, source)
}

// replace loads, builds and applies the file as it is now.
func (w *watch) replace(ctx context.Context, before *Site) (source *Source, err error) {
	defer guard.Error(&err)
	path := w.site.Source.Path
	if source, err = Load(path); err != nil {
		return source, cmp.Or(Diagnose(path, w.options), err)
	}
	return source, w.rebuild(ctx, source, before)
}

func (w *watch) rebuild(ctx context.Context, source *Source, before *Site) error {
	site, err := build(ctx, source, w.options, before)
	if err != nil {
		return err
	}
	if err := w.apply(site); err != nil {
		_ = site.Close()
		return err
	}
	w.site = site
	return nil
}

// watchFiles watches the folders of the sources' files: editors replace files, and a watch on a
// file would stay with the old one. It schedules another read if a file changed between being read
// and being watched.
func (w *watch) watchFiles(sources ...*Source) {
	before := w.files
	w.files = map[string]string{}
	for _, s := range sources {
		if s == nil {
			continue
		}
		for _, name := range s.Files() {
			w.watchFile(name, before)
		}
	}
	if latest := sources[len(sources)-1]; latest != nil && latest.changed() {
		w.quiet.Reset(settle)
	}
}

func (w *watch) watchFile(name string, before map[string]string) {
	abs, err := filepath.Abs(name)
	if err != nil {
		w.log.Warn("a file of the configuration cannot be watched", "file", name, "error", err)
		return
	}
	was, known := before[abs]
	if !known {
		was = resolved(abs)
	}
	w.files[abs] = was
	if err := w.notify.Add(filepath.Dir(abs)); err != nil {
		w.log.Warn("a file of the configuration cannot be watched", "file", abs, "error", err)
	}
}

// resolved returns a path with its symbolic links followed, or "" if there is no such file.
func resolved(path string) string {
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return to
}

// concerns reports whether an event in a watched folder affects a watched file, directly or by
// changing a symbolic link: mounted configuration volumes are replaced through a link beside the
// file.
func (w *watch) concerns(e fsnotify.Event) bool {
	if _, ours := w.files[filepath.Clean(e.Name)]; ours {
		return e.Op != fsnotify.Chmod
	}
	if !e.Has(fsnotify.Create) {
		return false
	}
	for name, was := range w.files {
		if resolved(name) != was {
			return true
		}
	}
	return false
}
