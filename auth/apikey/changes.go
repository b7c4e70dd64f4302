package apikey

import (
	"io/fs"
	"os"
)

// Changes tells which keys of a file were made and revoked, for the audit log. Not safe for
// concurrent use.
type Changes struct {
	file  File
	info  fs.FileInfo // of the file as it was read; nil if there was none
	known map[string]Key
}

// NewChanges returns the changes of a file from now on. A file that cannot be read has no keys yet.
func NewChanges(file File) *Changes {
	c := &Changes{file: file}
	_, _, _ = c.Next()
	return c
}

// Next returns the keys that were made and those that were revoked since the last call. A key that
// was removed from the file counts as revoked.
func (c *Changes) Next() (made, revoked []Key, err error) {
	info, err := os.Stat(string(c.file))
	if err != nil {
		info = nil // List will tell whether that is an error
	}
	if c.known != nil && same(c.info, info) {
		return nil, nil, nil
	}
	list, err := c.file.List()
	if err != nil {
		return nil, nil, err
	}
	now := make(map[string]Key, len(list))
	for _, k := range list {
		now[k.ID] = k
		was, found := c.known[k.ID]
		if !found {
			made = append(made, k)
		}
		if !k.Revoked.IsZero() && was.Revoked.IsZero() {
			revoked = append(revoked, k)
		}
	}
	for id, k := range c.known {
		if _, still := now[id]; !still && k.Revoked.IsZero() {
			revoked = append(revoked, k)
		}
	}
	c.info, c.known = info, now
	return made, revoked, nil
}
