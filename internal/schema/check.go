package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxExponent limits the exponent of a number: validators compute with exact rationals, for which
// 1e999999999 takes a gigabyte.
const maxExponent = 400

// maxDigits limits the length of a number for the same reason.
const maxDigits = 400

// Check returns an error unless raw is exactly one JSON value that nests no deeper: it refuses
// wrong syntax, duplicate names, invalid UTF-8, a name __proto__, and numbers too expensive for a
// validator.
func Check(raw []byte, depth int) error { return check(raw, depth, math.MaxInt) }

// checkSchema is Check for the text of a schema.
func checkSchema(raw []byte) error {
	if err := check(raw, maxSchemaDepth, maxSchemaNodes); err != nil {
		return fmt.Errorf("the schema cannot be used: %w", err)
	}
	return nil
}

// check is Check with a limit on the number of objects and arrays.
func check(raw []byte, depth, most int) error {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	values := 0
	for {
		tok, err := dec.ReadToken()
		if err == io.EOF {
			return errors.New("it is empty")
		}
		if err != nil {
			return plainSyntax(err)
		}
		switch tok.Kind() {
		case '{', '[':
			values++
			if dec.StackDepth() > depth {
				return fmt.Errorf("it is nested deeper than %d levels", depth)
			}
			if values > most {
				return fmt.Errorf("it has more than %d objects and arrays", most)
			}
		case '0':
			if err := checkNumber(tok.String()); err != nil {
				return err
			}
		case '"':
			if isName(dec) && tok.String() == "__proto__" {
				return errors.New("the name __proto__ is not allowed")
			}
		}
		if dec.StackDepth() == 0 {
			return checkEnd(dec)
		}
	}
}

// isName reports whether the string just read is a member's name.
func isName(dec *jsontext.Decoder) bool {
	kind, length := dec.StackIndex(dec.StackDepth())
	return kind == '{' && length%2 == 1
}

func checkEnd(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); err != io.EOF {
		return errors.New("there is more after the JSON value")
	}
	return nil
}

func checkNumber(text string) error {
	if len(text) > maxDigits {
		return fmt.Errorf("a number has %d characters", len(text))
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exp, err := strconv.Atoi(text[i+1:])
		if err != nil || exp > maxExponent || exp < -maxExponent {
			return fmt.Errorf("the number %.40s is out of range", text)
		}
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		// handlers and browsers compute with floats
		return fmt.Errorf("the number %.40s is out of range", text)
	}
	return nil
}

// plainSyntax turns a decoder's error into a sentence for a model, without a package name.
func plainSyntax(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends in the middle")
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			return fmt.Errorf("the name %q occurs twice in one object", e.JSONPointer.LastToken())
		}
	}
	return errors.New(strings.TrimPrefix(err.Error(), "jsontext: "))
}
