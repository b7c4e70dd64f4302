package jsonx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

func TestValidateAccepts(t *testing.T) {
	for _, doc := range []string{
		`null`, ` true `, "\t\r\n false", `0`, `-0`, `1.5e+10`, `-12E-2`, `""`, `"a"`, `"é世👋"`, `"\ud83d\udc4b\n\/"`,
		`[]`, `[ ]`, `[1]`, `[[],[[]]]`, `{}`, `{ }`, `{"":{}}`, `{"a":1,"b":[{"a":1},{"a":1}]}`, `{"a":{"a":{"a":1}}}`,
		`{"constructor":1,"__proto__":2}`, `"12345678\""`, `"1234567\\"`, strings.Repeat("[", 64) + strings.Repeat("]", 64),
	} {
		must.Be(t, Validate([]byte(doc), Limits{}), nil, "%s", doc)
	}
}

func TestValidateRefuses(t *testing.T) {
	talk.Lines(t, "testdata/invalid.txtar", func(_ *testing.T, _, doc string) []string {
		return []string{must.Text(Validate([]byte(doc), Limits{}))}
	})
	for doc, want := range map[string]string{ // what no line of a text can be
		"":                       "unexpected end, a value is missing at byte 0",
		"  ":                     "unexpected end, a value is missing at byte 2",
		"\ufeff1":                "unexpected '\\ufeff', expected a value at byte 0",
		`"12345678` + "\n" + `"`: "a control character inside a string is not escaped at byte 9",
		"\"\xc0\x80\"":           "invalid UTF-8 at byte 1",
		"\"\xf4\x90\x80\x80\"":   "invalid UTF-8 at byte 1",
		"\"é\xc3\"":              "invalid UTF-8 at byte 3",
	} {
		must.Be(t, must.Text(Validate([]byte(doc), Limits{})), want, "%q", doc)
	}
}

func TestValidateLimits(t *testing.T) {
	deep := []byte(strings.Repeat(`{"a":`, 3) + "1" + strings.Repeat("}", 3))
	for limits, want := range map[Limits]string{
		{MaxDepth: 3}:         "",
		{MaxDepth: 2}:         "a.a: nested deeper than 2 levels at byte 10",
		{MaxBytes: len(deep)}: "",
		{MaxBytes: 10}:        "longer than 10 bytes at byte 10",
	} {
		must.Be(t, must.Text(Validate(deep, limits)), want, "%+v", limits)
	}
	for key, plain := range map[string]string{"__proto__": "__proto__", "constructor": "constructor", "prototype": "prototype",
		`\u005f_proto__`: "__proto__", `prot\u006ftype`: "prototype"} {
		doc := []byte(`{"a":[{"` + key + `":1}]}`)
		must.Fail(t, Validate(doc, Limits{Keys: true}), "a[0]."+plain+": ", "%s", key)
		must.Be(t, Validate(doc, Limits{}), nil, "%s", key)
	}
	fine := `{"__proto":1,"constructors":2,"protoType":3,"` + strings.Repeat(`\u0041`, 40) + `":4}`
	must.Be(t, Validate([]byte(fine), Limits{Keys: true}), nil, "%s", fine)
}

// Duplicates are found however many keys an object has, in whatever form the second one is written.
func TestValidateFindsDuplicatesAmongManyKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 200).Draw(t, "keys")
		i, j := rapid.IntRange(0, n-1).Draw(t, "first"), rapid.IntRange(0, n-1).Draw(t, "second")
		var doc bytes.Buffer
		doc.WriteString(`[{"inner":{"k1":1}},{`)
		for k := range n {
			key := "k" + strconv.Itoa(k)
			if k == j {
				key = `\u006b` + strconv.Itoa(i)
			}
			if k > 0 {
				doc.WriteByte(',')
			}
			fmt.Fprintf(&doc, `"%s":{"k0":[],"k1":{}}`, key)
		}
		doc.WriteString(`}]`)
		must.Be(t, Validate(doc.Bytes(), Limits{}) == nil, i == j, "%s is valid", doc.Bytes())
	})
}

// hostile documents must be decided fast and without growing the memory.
func TestValidateWithstandsHostileDocuments(t *testing.T) {
	manyKeys := func(n int) []byte {
		doc := []byte{'{'}
		for i := range n {
			doc = strconv.AppendInt(append(doc, '"'), int64(i), 36)
			doc = append(doc, `":0,`...)
		}
		doc[len(doc)-1] = '}'
		return doc
	}
	for _, c := range []struct {
		name     string
		doc      []byte
		ok       bool
		maxBytes uint64 // allocated
	}{
		{"depth 10,000", bytes.Repeat([]byte("["), 10_000), false, 64 << 10},
		{"depth 10,000 of objects", bytes.Repeat([]byte(`{"a":`), 10_000), false, 64 << 10},
		{"10M elements", append(append([]byte("["), bytes.Repeat([]byte("0,"), 10_000_000)...), "0]"...), true, 64 << 10},
		{"100k keys", manyKeys(100_000), true, 8 << 20},
		{"400k keys in 4 MiB", manyKeys(400_000), true, 32 << 20},
		{"1M empty objects", append(append([]byte("["), bytes.Repeat([]byte("{},"), 1_000_000)...), "{}]"...), true, 64 << 10},
		{"1M small objects cut off", append([]byte("["), bytes.Repeat([]byte(`{"a":1,"b":2},`), 1_000_000)...), false, 64 << 10},
		{"4 MiB of escapes", append(append([]byte(`"`), bytes.Repeat([]byte(`\u00e9`), 700_000)...), `\ud800"`...), false, 64 << 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			err := Validate(c.doc, Limits{Keys: true})
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			must.Be(t, err == nil, c.ok, "it is valid")
			// it takes milliseconds; what grows with the square takes hours, even under the race
			// detector
			if took > time.Minute {
				t.Errorf("took %v", took)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > c.maxBytes {
				t.Errorf("allocated %d bytes for a document of %d", used, len(c.doc))
			}
			t.Logf("%d bytes in %v, allocated %d", len(c.doc), took, after.TotalAlloc-before.TotalAlloc)
		})
	}
}

// strictlyValid decides with the standard library and jsontext, which share no code with this
// package.
func strictlyValid(doc []byte) bool {
	if bytes.Contains(doc, []byte(`\u0000`)) && containsNUL(doc) {
		return false
	}
	v := jsontext.Value(doc)
	return v.IsValid() && !deeperThan(doc, DefaultMaxDepth)
}

func containsNUL(doc []byte) bool {
	d := jsontext.NewDecoder(iotest.DataErrReader(bytes.NewReader(doc)), jsontext.AllowDuplicateNames(true))
	for {
		tok, err := d.ReadToken()
		if err != nil {
			return false
		}
		if tok.Kind() == '"' && strings.Contains(tok.String(), "\x00") {
			return true
		}
	}
}

func deeperThan(doc []byte, n int) bool {
	d := jsontext.NewDecoder(bytes.NewReader(doc))
	for {
		if _, err := d.ReadToken(); err != nil {
			return false
		}
		if d.StackDepth() > n {
			return true
		}
	}
}

func FuzzValidate(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5e3,"x\u00e9\ud83d\udc4b",null,true]}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `"\ud800"`, "\"\xff\"", `"\u0000"`,
		`[[[[[[]]]]]]`, `{"a":{"b":{"c":{}}}} `, `-0.0e-0`, `"\\\\\""`, strings.Repeat("[", 65) + strings.Repeat("]", 65), `[1,]`, `{"":"","":""}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		err := Validate(doc, Limits{})
		if want := strictlyValid(doc); want != (err == nil) {
			t.Fatalf("%q: we say %v, jsontext says valid is %v", doc, err, want)
		}
		if err == nil && !json.Valid(doc) {
			t.Fatalf("%q: encoding/json refuses it", doc)
		}
		d := Decoder{Data: doc} // must not panic nor loop whatever it is given
		d.Skip()
		walk(&Decoder{Data: doc}, 0)
	})
}

func walk(d *Decoder, depth int) {
	switch d.Kind() {
	case Array:
		for d.Enter(); depth < 70 && d.More(); {
			at := d.Pos
			walk(d, depth+1)
			if d.Pos <= at {
				return
			}
		}
	case Object:
		for d.Enter(); depth < 70 && d.More(); {
			d.Key(nil)
			walk(d, depth+1)
		}
	default:
		d.Skip()
	}
}

func BenchmarkValidate(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 45)
	var many []byte
	for i := range 400_000 {
		many = append(strconv.AppendInt(append(many, ",\""...), int64(i), 36), `":0`...)
	}
	many = append(append([]byte("{"), many[1:]...), '}')
	for name, doc := range map[string][]byte{
		"ascii":     []byte(`["` + strings.Repeat(text+`","`, 200) + `"]`),
		"cyrillic":  []byte(`["` + strings.Repeat("Съешь же ещё этих мягких французских булок. ", 5000) + `"]`),
		"numbers":   []byte("[" + strings.Repeat("12.5,0,", 50_000) + "1]"),
		"objects":   []byte("[" + strings.Repeat(`{"id":1,"name":"x","value":true},`, 10_000) + "1]"),
		"400k keys": many,
		"too deep":  bytes.Repeat([]byte("["), 4<<20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				_ = Validate(doc, Limits{Keys: true})
			}
		})
	}
}
