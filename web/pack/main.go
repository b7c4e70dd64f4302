// Pack puts the built web part into the archive that the binary embeds: web/dist into
// web/packed/dist.zip, as make build does. The same files give the same archive. Without a built
// web part there is none.
package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if err := pack(filepath.Join("web", "dist"), filepath.Join("web", "packed", "dist.zip")); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack writes target only if that changes it: two targets of make may pack at once, and a program
// that embeds the same bytes is not linked again.
func pack(folder, target string) error {
	if _, err := os.Stat(filepath.Join(folder, "index.html")); errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(target)
	}
	archive, err := archived(os.DirFS(folder))
	if err != nil {
		return fmt.Errorf("pack %s: %w", folder, err)
	}
	if old, err := os.ReadFile(target); err == nil && bytes.Equal(old, archive) {
		return nil
	}
	// go:embed passes over a name with a dot
	part := filepath.Join(filepath.Dir(target), fmt.Sprintf(".dist.zip.%d", os.Getpid()))
	if err := os.WriteFile(part, archive, 0o644); err != nil {
		return err
	}
	return os.Rename(part, target)
}

// archived gives all files one date, since theirs differ between checkouts.
func archived(files fs.FS) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		// net/http sends no date for this one
		w, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Unix(0, 0).UTC()})
		if err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = archive.Close()
	return out.Bytes(), err
}
