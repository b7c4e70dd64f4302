package jsonx

import "strconv"

// Join prefixes a path with its parent: Join("messages[3]", "content") is messages[3].content and
// Join("messages", "[3].content") is messages[3].content.
func Join(parent, path string) string {
	switch {
	case parent == "":
		return path
	case path == "" || path[0] == '[':
		return parent + path
	}
	return parent + "." + path
}

// Index returns the path of an array's element within the array.
func Index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// KeyPath returns the path of an object's member within the object: the key itself, or quoted and
// in brackets if it is not a plain name.
func KeyPath[S ~string | ~[]byte](key S) string {
	if len(key) == 0 || len(key) > 64 {
		return quotedKey(key)
	}
	for i := range len(key) {
		c := key[i]
		if c != '_' && c != '$' && c != '-' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			return quotedKey(key)
		}
	}
	return string(key)
}

func quotedKey[S ~string | ~[]byte](key S) string {
	return "[" + quoted(AppendStringBody(nil, string(key))) + "]"
}
