package web

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"sync"
)

// unpacked makes an archive's files seekable, as http.FileServer wants them. A file stays in memory
// once it has been read.
type unpacked struct {
	archive  *zip.Reader
	contents sync.Map // name to []byte
}

// Open implements fs.FS.
func (u *unpacked) Open(name string) (fs.File, error) {
	file, err := u.archive.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || info.IsDir() {
		return file, err
	}
	content, known := u.contents.Load(name)
	if !known {
		read, err := io.ReadAll(file)
		if err != nil {
			return nil, &fs.PathError{Op: "unpack", Path: name, Err: err}
		}
		content, _ = u.contents.LoadOrStore(name, read)
	}
	return &seekable{file, bytes.NewReader(content.([]byte))}, nil
}

// seekable is a file of the archive whose content is read from memory.
type seekable struct {
	fs.File
	content *bytes.Reader
}

func (s *seekable) Read(p []byte) (int, error) { return s.content.Read(p) }

// Seek implements io.Seeker.
func (s *seekable) Seek(offset int64, whence int) (int64, error) {
	return s.content.Seek(offset, whence)
}
