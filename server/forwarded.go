package server

import (
	"net/http"
	"slices"
	"strings"
)

// forwardedFromBeyond returns the name of a header by which a proxy says that a request has passed
// beyond this machine, or "" if there is none. What a development server here forwards for a
// browser here, such as that of Next.js, passes: the connection, every hop and every host that it
// names are loopback. What cannot be read, or names no address at all, does not.
func forwardedFromBeyond(r *http.Request) string {
	by, beyond := "", "" // of several, the first by name: the same request is told the same
	for name, values := range r.Header {
		local := hopsOf(name)
		if local == nil {
			continue
		}
		by = firstOf(by, name)
		if slices.ContainsFunc(values, func(value string) bool { return !local(value) }) {
			beyond = firstOf(beyond, name)
		}
	}
	names := r.Header["X-Forwarded-For"] != nil || r.Header["Forwarded"] != nil
	if beyond == "" && by != "" && !(names && loopback(r.RemoteAddr)) {
		return by
	}
	return beyond
}

// firstOf returns the first name in the order of the alphabet; "" is none.
func firstOf(a, b string) string {
	if a == "" || b < a {
		return b
	}
	return a
}

// hopsOf returns what reports whether a value of a header names this machine alone, or nil if the
// header is not a proxy's.
func hopsOf(name string) func(value string) bool {
	switch {
	case name == "X-Forwarded-For", name == "X-Forwarded-Host", name == "X-Real-Ip", name == "True-Client-Ip":
		return eachLoopback
	case name == "Forwarded":
		return forwardedLocally
	case name == "X-Forwarded-Proto", name == "X-Forwarded-Port":
		return func(string) bool { return true }
	case name == "Via", strings.HasPrefix(name, "X-Forwarded-"), strings.HasPrefix(name, "Cf-"):
		return func(string) bool { return false }
	}
	return nil
}

// eachLoopback reports whether a list of addresses or hosts, with or without ports, names this
// machine alone.
func eachLoopback(list string) bool {
	for hop := range strings.SplitSeq(list, ",") {
		if !loopback(strings.TrimSpace(hop)) {
			return false
		}
	}
	return true
}

// forwardedLocally is eachLoopback for a Forwarded header (RFC 7239): every element must name an
// address, and none another machine's. Quoted commas and semicolons are in no loopback address.
func forwardedLocally(list string) bool {
	for element := range strings.SplitSeq(list, ",") {
		named := false
		for pair := range strings.SplitSeq(element, ";") {
			key, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
			switch strings.ToLower(key) {
			case "for":
				named = true
				fallthrough
			case "by", "host":
				if !loopback(strings.Trim(value, `"`)) {
					return false
				}
			}
		}
		if !named {
			return false
		}
	}
	return true
}
