package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// maxBinary is the most the server may weigh.
const maxBinary = 41_000_000

// static checks that a binary needs no library of the system, and that it is small.
func static(binary string) (string, error) {
	info, err := os.Stat(binary)
	if err != nil {
		return "", err
	}
	size := fmt.Sprintf("%.1f MB of %d", float64(info.Size())/1e6, maxBinary/1_000_000)
	if info.Size() > maxBinary {
		return "", errors.New("too large: " + size)
	}
	linked, err := dynamic(binary)
	if errors.As(err, new(*elf.FormatError)) {
		return size + "; no ELF file, so not checked for libraries", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", binary, err)
	}
	if linked {
		return "", errors.New("linked dynamically: build with CGO_ENABLED=0")
	}
	return size + ", nothing linked dynamically", nil
}

// dynamic reports whether an ELF file asks for an interpreter or has a dynamic section.
func dynamic(binary string) (bool, error) {
	file, err := elf.Open(binary)
	if err != nil {
		return false, err
	}
	defer file.Close()
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP || segment.Type == elf.PT_DYNAMIC {
			return true, nil
		}
	}
	return file.SectionByType(elf.SHT_DYNAMIC) != nil, nil
}

// reproducible builds a package of the repository in two other folders, the second time with an
// empty cache, and compares the results. The folders are no clones: commit and time are left out.
func reproducible(repository, pkg string, flags []string) (string, error) {
	temp, err := os.MkdirTemp("", "pageside-builds-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	var digests []string
	for _, name := range []string{"one", filepath.Join("another", "folder")} {
		folder := filepath.Join(temp, name)
		if err := copySources(repository, folder); err != nil {
			return "", err
		}
		var env []string
		if len(digests) > 0 {
			env = []string{"GOCACHE=" + filepath.Join(temp, "cache")}
		}
		digest, err := build(folder, pkg, flags, env)
		if err != nil {
			return "", err
		}
		digests = append(digests, digest)
	}
	if digests[0] != digests[1] {
		return "", fmt.Errorf("two builds differ: SHA-256 %s and %s", digests[0], digests[1])
	}
	return "SHA-256 " + digests[0], nil
}

func build(folder, pkg string, flags, env []string) (digest string, err error) {
	target := filepath.Join(folder, "built")
	args := slices.Concat([]string{"build", "-buildvcs=false"}, flags, []string{"-o", target, pkg})
	command := exec.Command("go", args...)
	command.Dir = folder
	// the flags of a build are those given here
	command.Env = slices.Concat(os.Environ(), []string{"CGO_ENABLED=0", "GOFLAGS="}, env)
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return digestOf(target)
}

// copySources copies what git knows and may know, and the built web part, which the binary embeds.
func copySources(repository, folder string) error {
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = repository
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("list the sources: %w", explained(err))
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.Trim(string(out), "\x00"), "\x00") {
		if err := copyFile(filepath.Join(repository, name), filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	built := filepath.Join("web", "packed")
	if _, err := os.Stat(filepath.Join(repository, built)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	// git knows a placeholder in it, and CopyFS replaces no file
	if err := os.RemoveAll(filepath.Join(folder, built)); err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(folder, built), os.DirFS(filepath.Join(repository, built)))
}

// copyFile copies a regular file. One that git lists and that is no longer there is passed over.
func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && !info.Mode().IsRegular()) {
		return nil
	}
	if err != nil {
		return err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, content, info.Mode().Perm())
}
