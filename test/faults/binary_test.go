package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/pageside/pageside/test/must"
)

// binary builds cmd/pageside, once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pageside-faults-")
	if err != nil {
		return "", err
	}
	builtIn = dir
	path := filepath.Join(dir, "pageside")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/pageside").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build cmd/pageside: %w\n%s", err, out)
	}
	return path, nil
})

var builtIn string

func removeBinary() {
	if builtIn != "" {
		os.RemoveAll(builtIn)
	}
}

// serve starts cmd/pageside on the site's store and model.
func (s *site) serve(grace string) *process {
	s.t.Helper()
	path := must.Get(binary())(s.t)
	cmd := exec.Command(path, "serve", "--model", "openai/fake", "--store", "sqlite:"+s.db(), "--listen", "127.0.0.1:0", "--grace", grace)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=sk-x", "OPENAI_BASE_URL="+s.llm.url)
	p := launch(s.t, cmd)
	p.subject = "" // there is one principal
	return p
}
