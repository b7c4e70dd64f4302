package llm

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/pageside/pageside/internal/visible"
)

// MediaRules lists the media types a dialect accepts. Text files are always sent as text. Anything
// else is replaced with a sentence for the model, so that no attachment makes a thread unusable.
type MediaRules struct {
	// media types sent as data or, if URLs permits, by address
	Images, Audio, Video, Files []string
	// kinds that may be sent as https addresses: "image", "audio", "video", "document"
	URLs                []string
	PlainURLs           bool // also http addresses
	MaxImages, MaxFiles int  // per request, newest first; 0 means no limit
}

// Media types that several providers take.
var (
	WebImages = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
	PDF       = []string{"application/pdf"}
)

// maxInlined limits the text of one attachment, in bytes.
const maxInlined = 256 << 10

// maxPlain limits the shown characters of a name.
const maxPlain = 120

// mediaFitter fits the media of one request.
type mediaFitter struct {
	rules      *MediaRules
	skipImages int // number of oldest images to drop
	skipFiles  int
}

func newMediaFitter(rules *MediaRules, messages []Message) *mediaFitter {
	f := &mediaFitter{rules: rules}
	if rules.MaxImages == 0 && rules.MaxFiles == 0 {
		return f
	}
	images, files := 0, 0
	for _, m := range messages {
		for _, c := range m.Content {
			media, ok := c.(Media)
			if !ok {
				continue
			}
			switch media = media.normal(); {
			case media.isText() || !rules.takes(media):
			case media.Kind == "image":
				images++
			case media.Kind == "document":
				files++
			}
		}
	}
	if rules.MaxImages > 0 {
		f.skipImages = max(0, images-rules.MaxImages)
	}
	if rules.MaxFiles > 0 {
		f.skipFiles = max(0, files-rules.MaxFiles)
	}
	return f
}

// fit returns what to send for an attachment.
func (f *mediaFitter) fit(before Media) (fit Content, changed bool) {
	m := before.normal()
	if m.isText() {
		if text, ok := m.asText(); ok {
			return text, true
		}
		if m.Data != "" && !f.rules.takes(m) {
			return Text{Text: NotShown(m, "")}, true
		}
	}
	switch {
	case !f.rules.takes(m):
		text, _ := m.Unsent("")
		return text, true
	case m.Kind == "image" && f.skipImages > 0:
		f.skipImages--
		return Text{Text: NotShown(m, "since newer ones took its place")}, true
	case m.Kind == "document" && f.skipFiles > 0:
		f.skipFiles--
		return Text{Text: NotShown(m, "since newer ones took its place")}, true
	}
	return m, m != before
}

// takes reports whether a dialect accepts a normalised attachment.
func (r *MediaRules) takes(m Media) bool {
	list := map[string][]string{"image": r.Images, "audio": r.Audio, "video": r.Video, "document": r.Files}[m.Kind]
	if len(list) == 0 {
		return false
	}
	if m.Data != "" {
		return slices.Contains(list, m.MimeType) && isBase64(m.Data) && m.isWhatItSays()
	}
	known := m.MimeType == "" || slices.Contains(list, m.MimeType)
	u, err := url.Parse(m.URL)
	return known && err == nil && u.Host != "" && slices.Contains(r.URLs, m.Kind) &&
		(u.Scheme == "https" || u.Scheme == "http" && r.PlainURLs)
}

// isWhatItSays reports whether the data of an image or PDF begins like one: providers refuse a
// whole request otherwise. m must be normalised.
func (m Media) isWhatItSays() bool {
	switch {
	case m.MimeType == "application/pdf":
		return bytes.Contains(m.head(pdfHead), []byte("%PDF-"))
	case m.MimeType == "image/heic" || m.MimeType == "image/heif":
		head := m.head(sniffHead)
		return len(head) >= 8 && string(head[4:8]) == "ftyp"
	case m.Kind == "image":
		return m.sniffed() == m.MimeType
	}
	return true
}

// Unsent returns the text that replaces an attachment refused by a provider; why is a clause that
// explains it. ok is false if the attachment is sent as text anyway.
func (m Media) Unsent(why string) (text Text, ok bool) {
	m = m.normal()
	if text, ok := m.asText(); ok && (m.isText() || m.mayBeText()) {
		return text, false
	}
	return Text{Text: NotShown(m, why)}, true
}

// isBase64 reports whether data can be decoded. It sees megabytes in every step, so it does not
// allocate.
func isBase64(data string) bool {
	body := strings.TrimRight(data, "=")
	if len(data)%4 != 0 || len(data)-len(body) > 2 {
		return false
	}
	for i := range len(body) {
		if !base64Bytes[body[i]] {
			return false
		}
	}
	return true
}

var base64Bytes = func() (t [256]bool) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[b] = true
	}
	return t
}()

// toStandard converts base64 with line breaks, in the URL alphabet or without padding to the
// standard form that providers accept.
var toStandard = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "", "=", "")

func standardBase64(data string) string {
	if isBase64(data) {
		return data
	}
	data = toStandard.Replace(data)
	return data + strings.Repeat("=", (4-len(data)%4)%4)
}

// synonyms maps media types to their usual names.
var synonyms = map[string]string{
	"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png",
	"audio/mp3": "audio/mpeg", "audio/x-mp3": "audio/mpeg", "audio/mpeg3": "audio/mpeg",
	"audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/vnd.wave": "audio/wav",
	"application/x-pdf": "application/pdf", "video/mov": "video/quicktime",
}

// normal normalises an attachment. Its kind follows its media type. If the media type is missing,
// or wrong for an image, it is taken from the name or the first bytes.
func (m Media) normal() Media {
	if rest, ok := strings.CutPrefix(m.Data, "data:"); ok {
		m = m.unpacked(rest)
	} else if rest, ok := strings.CutPrefix(m.URL, "data:"); ok && m.Data == "" {
		m = m.unpacked(rest)
	}
	m.Data = standardBase64(m.Data)
	kind, _, _ := strings.Cut(m.MimeType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	if known, ok := synonyms[kind]; ok {
		kind = known
	}
	if kind == "" || kind == "application/octet-stream" || kind == "binary/octet-stream" {
		kind = endings[strings.ToLower(path.Ext(m.fileName()))]
	}
	sniffed := m.sniffed()
	if strings.HasPrefix(sniffed, "image/") && !m.isTextLike(kind, sniffed) ||
		kind == "" && sniffed == "application/pdf" {
		kind = sniffed
	}
	m.MimeType = kind
	family, _, _ := strings.Cut(kind, "/")
	switch {
	case kind == "":
	case family == "image" || family == "audio" || family == "video":
		m.Kind = family
	default:
		m.Kind = "document"
	}
	m.Name = plainName(m.Name)
	return m
}

// isTextLike reports whether an attachment of a declared type begins like an image and is text all
// the same: a table whose first column is BMI begins like a bitmap.
func (m Media) isTextLike(declared, sniffed string) bool {
	m.MimeType = declared
	if !m.isText() && sniffed != "image/bmp" {
		return false
	}
	_, text := decodeText(m.head(sniffHead))
	return text
}

// unpacked decodes the rest of a data: address.
func (m Media) unpacked(rest string) Media {
	m.URL = ""
	head, data, ok := strings.Cut(rest, ",")
	mimeType, encoded := strings.CutSuffix(head, ";base64")
	if !ok {
		return m
	}
	if m.MimeType == "" {
		m.MimeType = mimeType
	}
	if m.Data = data; !encoded {
		plain, _ := url.PathUnescape(data)
		m.Data = base64.StdEncoding.EncodeToString([]byte(plain))
	}
	return m
}

// fileName returns the file's name, or the end of its address.
func (m Media) fileName() string {
	if m.Name != "" || m.URL == "" {
		return m.Name
	}
	u, err := url.Parse(m.URL)
	if err != nil {
		return ""
	}
	return path.Base(u.Path)
}

// sniffed returns the media type of the first bytes.
func (m Media) sniffed() string {
	head := m.head(sniffHead)
	if len(head) == 0 {
		return ""
	}
	return http.DetectContentType(head)
}

// How many of the first bytes to inspect: generally, and for a PDF, which may begin later.
const (
	sniffHead = 384
	pdfHead   = 1024
)

// head returns about the first n bytes.
func (m Media) head(n int) []byte {
	head, _ := base64.StdEncoding.DecodeString(m.Data[:min(len(m.Data)/4*4, (n+2)/3*4)])
	return head
}

// endings maps file name endings to media types, for files without one.
var endings = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp", ".heic": "image/heic", ".heif": "image/heif",
	".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".flac": "audio/flac", ".mp4": "video/mp4",
	".mov": "video/quicktime", ".webm": "video/webm",
	".pdf": "application/pdf", ".csv": "text/csv", ".json": "application/json", ".md": "text/markdown",
	".html": "text/html", ".xml": "application/xml", ".svg": "image/svg+xml",
	".doc": "application/msword", ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xls":  "application/vnd.ms-excel",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".zip": "application/zip",
}

// texts are the endings of text files, whatever type a browser gives them: to some, a CSV file is
// Excel's.
var texts = strings.Fields(".csv .tsv .txt .text .log .md .markdown .rst .adoc .tex .json .jsonl .ndjson .geojson .yaml .yml .toml .ini .cfg .conf .env " +
	".properties .xml .xsd .xsl .html .htm .svg .css .scss .less .js .mjs .cjs .jsx .ts .tsx .vue .py .rb .go .rs .java .kt .scala .swift .c .h .cc .cpp .hpp " +
	".cs .php .pl .lua .r .sql .sh .bash .zsh .ps1 .bat .diff .patch .proto .graphql .ics .vcf .eml .srt .vtt .tf .ppl")

// IsText reports whether the attachment is text, by its type or name: every model can read that.
func (m Media) IsText() bool { return m.normal().isText() }

// isText reports whether a normalised attachment is text, by its type or name.
func (m Media) isText() bool {
	kind := strings.TrimPrefix(strings.TrimPrefix(m.MimeType, "application/"), "x-")
	switch {
	case strings.HasPrefix(m.MimeType, "text/") || strings.HasSuffix(kind, "+xml") ||
		strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+yaml"):
		return true
	case m.Kind == "image" || m.Kind == "audio" || m.Kind == "video":
		return false
	}
	switch kind {
	case "json", "jsonl", "ndjson", "jsonlines", "json5", "xml", "yaml", "toml", "csv", "javascript", "ecmascript", "typescript", "sql", "sh", "shellscript",
		"python", "graphql", "markdown", "httpd-php", "tex", "latex", "log", "subrip", "diff", "ldjson":
		return true
	}
	return slices.Contains(texts, strings.ToLower(path.Ext(m.fileName())))
}

// mayBeText reports whether the bytes should be checked: data without a known type may be text, and
// so may a supposed image or PDF.
func (m Media) mayBeText() bool {
	return m.Kind == "document" && m.MimeType != "application/pdf" || m.MimeType == "" || !m.isWhatItSays()
}

// asText returns the attachment as text after its name; ok is false if it is not text. The closing
// tag carries a hash of the text, which the text itself cannot contain.
func (m Media) asText() (text Text, ok bool) {
	data, err := base64.StdEncoding.DecodeString(m.Data)
	if err != nil || len(data) == 0 {
		return Text{}, false
	}
	said, ok := decodeText(data)
	if !ok {
		return Text{}, false
	}
	note := ""
	if len(said) > maxInlined {
		note = fmt.Sprintf("\n[The attachment is cut here: it has %d bytes of text, of which these are the first %d.]",
			len(said), maxInlined)
		said = visible.Cut(said, maxInlined)
	}
	tag := "attachment-" + hash(said, 0)[:16]
	return Text{Text: "<" + tag + m.label() + ">\n" + said + "\n</" + tag + ">" + note}, true
}

// Weight estimates an attachment's size in a prompt, in bytes of text.
func (m Media) Weight() int {
	const usual = 4 << 10 // the tokens of images and documents do not depend on their size
	if n := m.normal(); n.isText() {
		return min(max(len(n.Data)*3/4, usual/16), maxInlined)
	}
	return usual
}

// label returns the name and type as attributes of a tag.
func (m Media) label() (label string) {
	if name := plain(m.Name); name != "" {
		label += ` name="` + name + `"`
	}
	if kind := plain(m.MimeType); kind != "" {
		label += ` type="` + kind + `"`
	}
	return label
}

// plain makes a client's text safe for a sentence or an attribute.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("<>\"'`[]{}&\\", r), r == utf8.RuneError:
			return '_'
		case !unicode.IsPrint(r):
			return ' '
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > maxPlain {
		s = string(runes[:maxPlain]) + "…"
	}
	return s
}

// plainName is plain for file names: a shortened one keeps its ending.
func plainName(name string) string {
	const longestEnding = 16
	cut := plain(name)
	ending := plain(path.Ext(name))
	if !strings.HasSuffix(cut, "…") || ending == "" || len(ending) > longestEnding || strings.HasSuffix(cut, ending) {
		return cut
	}
	runes := []rune(cut)
	return string(runes[:maxPlain-len([]rune(ending))-1]) + "…" + ending
}

// decodeText decodes UTF-8, UTF-16 with a byte order mark, or else the usual single-byte encoding.
// ok is false if data is not text.
func decodeText(data []byte) (text string, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		text = decodeUTF16(data)
	case utf8.Valid(data):
		text = strings.TrimPrefix(string(data), "\ufeff")
	default:
		single, _ := charmap.Windows1252.NewDecoder().Bytes(data)
		text = string(single)
	}
	control := func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r\f\v\b\x1b", r) }
	return text, !strings.ContainsFunc(text, control)
}

func decodeUTF16(data []byte) string {
	big := data[0] == 0xfe
	var units []uint16
	for i := 2; i+1 < len(data); i += 2 {
		low, high := data[i], data[i+1]
		if big {
			low, high = high, low
		}
		units = append(units, uint16(high)<<8|uint16(low))
	}
	return string(utf16.Decode(units))
}

// NotShown returns text that replaces an attachment the model cannot be shown.
func NotShown(m Media, why string) string {
	what := "something of the type " + plain(m.Kind)
	if name := plain(m.Name); name != "" {
		what = "the file “" + name + "”"
		if kind := plain(m.MimeType); kind != "" {
			what += " (" + kind + ")"
		}
	}
	if why != "" {
		why = ", " + why
	}
	return "[The user attached " + what + " that you cannot be shown" + why + ".]"
}
