package jsonx

import (
	"strings"
)

// operation is one operation of an RFC 6902 patch.
type operation struct {
	op         string
	path, from []string
	value      []byte
}

// CheckPatch returns an *Error unless patch, which must be valid JSON, is an RFC 6902 patch. It
// does not check whether the patch fits a document. It refuses paths through ForbiddenKey keys.
func CheckPatch(patch []byte) error {
	return eachOperation(patch, func(operation) error { return nil })
}

// eachOperation calls do for each operation of a patch until an error, which is a *FieldError.
func eachOperation(patch []byte, do func(op operation) error) error {
	d := Decoder{Data: patch}
	if k := d.Kind(); k != Array {
		return &Error{FieldError{Reason: "must be an array of patch operations, got " + k.String()}, 0}
	}
	i := 0
	for d.Enter(); d.More(); i++ {
		at := d.Pos
		op, err := readOperation(&d)
		if err == nil {
			err = do(op)
		}
		if e, bad := err.(*FieldError); bad {
			return &Error{FieldError{Join(Index(i), e.Path), e.Reason}, at}
		}
	}
	return nil
}

func refuse(path, reason string) error { return &FieldError{path, reason} }

func readOperation(d *Decoder) (op operation, err error) {
	if k := d.Kind(); k != Object {
		return op, refuse("", "must be an object, got "+k.String())
	}
	var room [16]byte
	var path, from []byte
	for d.Enter(); d.More(); {
		switch string(d.Key(room[:])) {
		case "op":
			op.op, err = stringField("op", d.Raw())
		case "path":
			path = d.Raw()
		case "from":
			from = d.Raw()
		case "value":
			op.value = d.Raw()
		default:
			d.Skip()
		}
		if err != nil {
			return op, err
		}
	}
	return op, op.complete(path, from)
}

func stringField(name string, raw []byte) (string, error) {
	if raw == nil {
		return "", refuse(name, "is required")
	}
	if k := KindOf(raw); k != String {
		return "", refuse(name, "must be a string, got "+k.String())
	}
	s, err := Unquote(raw)
	if err != nil {
		return "", refuse(name, err.Error())
	}
	return s, nil
}

// complete parses the pointers and checks the operation's members.
func (o *operation) complete(path, from []byte) (err error) {
	if o.path, err = pointerField("path", path); err != nil {
		return err
	}
	switch o.op {
	case "add", "replace", "test":
		if o.value == nil {
			return refuse("value", "is required")
		}
	case "move", "copy":
		o.from, err = pointerField("from", from)
	case "remove":
	case "":
		return refuse("op", "is required")
	default:
		return refuse("op", "must be add, remove, replace, move, copy or test, got "+quoted(o.op))
	}
	return err
}

func pointerField(name string, raw []byte) ([]string, error) {
	s, err := stringField(name, raw)
	if err != nil {
		return nil, err
	}
	return parsePointer(name, s)
}

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// parsePointer splits an RFC 6901 pointer into its segments.
func parsePointer(name, s string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	if s[0] != '/' {
		return nil, refuse(name, "must be empty or start with /")
	}
	segments := strings.Split(s[1:], "/")
	if len(segments) > DefaultMaxDepth {
		return nil, refuse(name, "is deeper than 64 levels")
	}
	for i, seg := range segments {
		if strings.Contains(seg, "~") {
			if rest := strings.ReplaceAll(strings.ReplaceAll(seg, "~0", ""), "~1", ""); strings.Contains(rest, "~") {
				return nil, refuse(name, "has a ~ that is neither ~0 nor ~1")
			}
			seg = pointerEscapes.Replace(seg)
		}
		if ForbiddenKey(seg) {
			return nil, refuse(name, "must not pass through "+seg)
		}
		segments[i] = seg
	}
	return segments, nil
}
