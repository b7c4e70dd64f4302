package httptool

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/lazy"
)

// maxURL bounds a rendered URL: servers refuse longer ones, each in its own way.
const maxURL = 8 << 10

// braced matches a parameter as OpenAPI and routers write it, in the path or as a query's value.
var braced = lazy.Regexp(`(?:/|[?&][^=&{]*=)\{([A-Za-z_]\w*)\}(?:[/?&#]|$)`)

// baseOf returns the scheme and host of a template that makes a URL.
func baseOf(source string) (*url.URL, error) {
	scheme, rest, ok := strings.Cut(source, "://")
	if !ok || (scheme != "http" && scheme != "https") {
		return nil, errors.New("it must begin with https:// or http://")
	}
	host := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		host = rest[:end]
	}
	if strings.Contains(host, "{{") {
		return nil, errors.New("the host must be plain text: arguments must not choose whom the server calls")
	}
	base, err := url.Parse(scheme + "://" + host)
	if err != nil {
		return nil, fmt.Errorf("%q is no host", host)
	}
	if base.User != nil {
		return nil, errors.New("it must not hold a user name or password: use an Authorization header")
	}
	if m := braced().FindStringSubmatch(rest); m != nil {
		return nil, fmt.Errorf("{%s} would be sent as it is: write {{ .%s }} for the argument, %%7B%s%%7D for braces",
			m[1], m[1], m[1])
	}
	path, _, _ := strings.Cut(rest, "?")
	if segments := strings.Split(path, "/"); slices.Contains(segments, "..") || slices.Contains(segments, ".") {
		return nil, errors.New("the path must not have . or .. as a segment")
	}
	return base, nil
}

// renderURL makes the URL of a call. The template's escaping keeps values where they belong; the
// result is checked all the same.
func (e *endpoint) renderURL(data map[string]any) (*url.URL, error) {
	raw, err := e.url.render(data)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxURL {
		return nil, badArgs(fmt.Sprintf("they make an address of %d bytes, at most %d are possible", len(raw), maxURL))
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, misuse("the template makes no URL")
	}
	if u.Scheme != e.base.Scheme || u.Host != e.base.Host || u.User != nil || u.Fragment != "" {
		return nil, misuse("the template changes the host")
	}
	return u, checkPath(u)
}

// checkPath refuses segments that servers resolve into another path.
func checkPath(u *url.URL) error {
	for segment := range strings.SplitSeq(u.EscapedPath(), "/") {
		if name, err := url.PathUnescape(segment); err != nil || name == "." || name == ".." {
			return badArgs(fmt.Sprintf("%q cannot be a part of the path", segment))
		}
	}
	return nil
}
