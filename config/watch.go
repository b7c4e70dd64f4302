package config

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/pageside/pageside/internal/guard"
)

// settle is how long a file must be left alone before it is read: editors write in pieces.
const settle = 150 * time.Millisecond

// Watch builds the site again whenever its file or one that it refers to changes, and whenever
// something comes from again, and hands it to apply, which takes over closing it unless it fails. A
// file that cannot be built is logged and changes nothing. Sessions with MCP servers of which the
// file says what it did before are gone on with, but those that again makes are new. Watch returns
// when ctx ends.
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
	w.look(site.Source)
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

// watch is the watching of one configuration.
type watch struct {
	notify  *fsnotify.Watcher
	log     *slog.Logger
	options Options
	apply   func(*Site) error
	site    *Site             // what is served
	files   map[string]string // by absolute path, what they are when symbolic links are followed
	quiet   *time.Timer       // has the file read when it ends
}

// reload builds and applies the file as it is now. before is the site whose sessions may be gone on
// with, or nil.
func (w *watch) reload(ctx context.Context, before *Site) {
	for name := range w.files { // first: what changes while it is read must be seen
		w.files[name] = resolved(name)
	}
	source, err := w.replace(ctx, before)
	if err != nil {
		w.log.Error("the configuration was changed and cannot be used: what was there before stays in place", "error", err)
	} else {
		w.log.Info("the configuration was read again", "file", w.site.Source.Path)
	}
	// The files of one that cannot be used too: what is wrong with it may be set right in them.
	w.look(w.site.Source, source)
}

// replace serves the file as it is now.
func (w *watch) replace(ctx context.Context, before *Site) (source *Source, err error) {
	defer guard.Error(&err)
	if source, err = Load(w.site.Source.Path); err != nil {
		return source, err
	}
	return source, w.rebuild(ctx, source, before)
}

func (w *watch) rebuild(ctx context.Context, source *Source, before *Site) error {
	site, err := build(ctx, source, w.options, before)
	if err != nil {
		return err
	}
	if err := w.apply(site); err != nil {
		return errors.Join(err, site.Close())
	}
	w.site = site
	return nil
}

// look watches the folders of the files of sources: editors replace files, and a watch on a file
// would stay with the old one. What changed since the last of them was read, before its folder was
// watched, is read again.
func (w *watch) look(sources ...*Source) {
	before := w.files
	w.files = map[string]string{}
	for _, s := range sources {
		if s == nil {
			continue
		}
		for _, name := range s.Files() {
			w.lookAt(name, before)
		}
	}
	if latest := sources[len(sources)-1]; latest != nil && latest.changed() {
		w.quiet.Reset(settle)
	}
}

func (w *watch) lookAt(name string, before map[string]string) {
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

// resolved is a path with its symbolic links followed, or nothing where there is no such file.
func resolved(path string) string {
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return to
}

// concerns reports whether an event in a watched folder is one of a watched file, or makes one lead
// elsewhere: volumes of configuration are replaced as a whole, by a link beside the file.
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
