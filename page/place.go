package page

import "strings"

// ParsePlace reads a place's path: page, page/tab or page/tab/subtab. What goes deeper is ignored.
func ParsePlace(s string) Place {
	segments := append(strings.SplitN(strings.Trim(s, "/"), "/", 4), "", "")
	return Place{Page: segments[0], Tab: segments[1], Subtab: segments[2]}
}

// String returns the path, without the scope.
func (p Place) String() string {
	s := p.Page
	for _, segment := range []string{p.Tab, p.Subtab} {
		if segment == "" {
			break
		}
		s += "/" + segment
	}
	return s
}
