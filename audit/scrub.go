package audit

import (
	"encoding/json"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/lazy"
)

// hidden stands for a secret, as in texts that upstream scrubs.
const hidden = "***"

// leastSecret is the length from which a configured value is looked for everywhere: shorter ones
// occur by chance.
const leastSecret = 6

// secretName matches names of fields whose values are secrets.
var secretName = lazy.Regexp(`(?i)pass(word|wd|phrase|code)|secret|token|api[-_]?key|private[-_]?key|authorization|credential|cookie|session[-_]?id|^pin$|^otp$|^auth$|^key$`)

// secretValue matches values that are secrets whatever their name.
var secretValue = lazy.Regexp(`(?i)\b(bearer|basic)\s+[a-z0-9._~+/=-]{8,}|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\b(sk|pk|rk|ghp|gho|xox[abp])[-_][\w-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----`)

// scrubArgs returns arguments on one line, with secrets replaced: known ones, those in fields with
// a telling name, and those with a telling form. Arguments that are not JSON are left out.
func scrubArgs(args json.RawMessage, known *strings.Replacer) json.RawMessage {
	if len(args) > maxArgs {
		return nil
	}
	value, err := jsonx.Value(args, nil)
	if err != nil {
		return nil
	}
	out, _ := json.Marshal(scrubValue(value, known)) // made of JSON: cannot fail
	return out
}

func scrubValue(value any, known *strings.Replacer) any {
	switch v := value.(type) {
	case string:
		return secretValue().ReplaceAllString(known.Replace(v), hidden)
	case []any:
		for i := range v {
			v[i] = scrubValue(v[i], known)
		}
	case map[string]any:
		for name, field := range v {
			if secretName().MatchString(name) && field != nil {
				v[name] = hidden
			} else {
				v[name] = scrubValue(field, known)
			}
		}
	}
	return value
}
