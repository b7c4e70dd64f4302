package mcptool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"
	"time"

	"github.com/pageside/pageside/internal/wholefile"
)

// pin is an approved definition, or what a server lists and may become one. The configuration gives
// only its hash.
type pin struct {
	Hash        string          `json:"hash"`
	PinnedAt    time.Time       `json:"pinnedAt"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
}

// definition returns the approved definition, where more than its hash is known.
func (p pin) definition(name string) (definition, bool) {
	return definition{name, p.Description, p.InputSchema}, p.InputSchema != nil
}

// now returns the definition as it is approved now.
func (p pin) now() pin {
	p.PinnedAt = time.Now().UTC().Truncate(time.Second)
	return p
}

// pinFile is a file of approved definitions, readable and reviewable: {"servers": {server: {tool:
// pin}}}.
type pinFile struct {
	path string

	mu      sync.Mutex
	servers map[string]map[string]pin
}

// openPins reads a pin file. A file that does not exist yet is empty. One that cannot be read, or
// whose definitions do not match their hashes, is an error: going on would approve anything.
func openPins(path string) (*pinFile, error) {
	f := &pinFile{path: path, servers: map[string]map[string]pin{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the pin file: %w", err)
	}
	var doc struct {
		Servers map[string]map[string]pin `json:"servers"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("read the pin file %s: %w", path, err)
	}
	for server, tools := range doc.Servers {
		for name, p := range tools {
			if hash, err := Fingerprint(name, p.Description, p.InputSchema); err != nil || hash != p.Hash {
				return nil, fmt.Errorf("the pin file %s: the definition of %q of server %q is not the one its hash was made of; remove the server to approve its tools anew",
					path, name, server)
			}
		}
	}
	maps.Copy(f.servers, doc.Servers)
	return f, nil
}

// of returns the pins of a server, nil if it was never seen.
func (f *pinFile) of(server string) map[string]pin {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.servers[server]
}

// errPinFile is why a pin file is not written. Without the file the next start would approve
// anything.
var errPinFile = errors.New("write the pin file")

// keep pins definitions of a new server, for good, and writes the file.
func (f *pinFile) keep(server string, pins map[string]pin) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.servers[server] = pins
	raw, err := json.MarshalIndent(map[string]any{"servers": f.servers}, "", "  ")
	if err == nil {
		err = wholefile.Write(f.path, append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%w %s: %w", errPinFile, f.path, err)
	}
	return nil
}
