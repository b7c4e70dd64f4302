package audit

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/lazy"
)

// hidden stands for a secret.
const hidden = "***"

// leastSecret is the length from which a configured value is looked for everywhere: shorter ones
// occur by chance.
const leastSecret = 6

// scrubber removes known secrets from text.
type scrubber struct{ replacer *strings.Replacer }

// newScrubber returns a scrubber of these values, in plain text and in JSON.
func newScrubber(secrets []string) *scrubber {
	var pairs []string
	seen := map[string]bool{}
	// a longer secret may contain a shorter one
	slices.SortStableFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, s := range secrets {
		quoted := string(jsonx.AppendStringBody(nil, s))
		for _, form := range []string{s, quoted} {
			if len(s) >= leastSecret && !seen[form] {
				seen[form] = true
				pairs = append(pairs, form, hidden)
			}
		}
	}
	if len(pairs) == 0 {
		return &scrubber{}
	}
	return &scrubber{strings.NewReplacer(pairs...)}
}

func (s *scrubber) text(text string) string {
	if s.replacer != nil {
		text = s.replacer.Replace(text)
	}
	return text
}

// secretName matches names of fields whose values are secrets.
var secretName = lazy.Regexp(`(?i)pass(word|wd|phrase|code)|secret|token|api[-_]?key|private[-_]?key|authorization|credential|cookie|session[-_]?id|^pin$|^otp$|^auth$|^key$`)

// secretValue matches values that are secrets whatever their name.
var secretValue = lazy.Regexp(`(?i)\b(bearer|basic)\s+[a-z0-9._~+/=-]{8,}|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\b(sk|pk|rk|ghp|gho|xox[abp])[-_][\w-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----`)

// scrubArgs returns arguments on one line, with secrets replaced: known ones, those in fields with
// a telling name, and those with a telling form. Arguments that are not JSON are left out.
func (s *scrubber) scrubArgs(args json.RawMessage) json.RawMessage {
	if len(args) > maxArgs {
		return nil
	}
	value, err := jsonx.Value(args, nil)
	if err != nil {
		return nil
	}
	out, _ := json.Marshal(s.scrubValue(value)) // made of JSON: cannot fail
	return out
}

func (s *scrubber) scrubValue(value any) any {
	switch v := value.(type) {
	case string:
		return secretValue().ReplaceAllString(s.text(v), hidden)
	case []any:
		for i := range v {
			v[i] = s.scrubValue(v[i])
		}
	case map[string]any:
		for name, field := range v {
			if secretName().MatchString(name) && field != nil {
				v[name] = hidden
			} else {
				v[name] = s.scrubValue(field)
			}
		}
	}
	return value
}
