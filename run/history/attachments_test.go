package history

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
)

func part(kind, mime, data string) agui.ContentPart {
	return agui.ContentPart{Type: kind, Source: &agui.Source{Type: agui.SourceData, MimeType: mime, Value: base64.StdEncoding.EncodeToString([]byte(data))}}
}

func linked(address string) agui.ContentPart {
	return agui.ContentPart{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceURL, Value: address}}
}

// What a client may attach. "" is taken.
func TestAttachments(t *testing.T) {
	const png, zip, gzip = "\x89PNG\r\n\x1a\n\x00\x00", "PK\x03\x04\x00\x00", "\x1f\x8b\x08\x00\x00"
	broken := part("image", "image/png", "")
	broken.Source.Value = "iVBOR!"
	for name, tt := range map[string]struct {
		part agui.ContentPart
		want string
	}{
		"a picture":                 {part("image", "image/png", png), ""},
		"a picture of another kind": {part("image", "image/jpeg", png), ""},
		"a table":                   {part("document", "text/csv", "a,b\n"), ""},
		"a drawing":                 {part("image", "image/svg+xml", "<svg/>"), ""},
		"a file without a type":     {part("document", "", "a text"), ""},
		"a PDF":                     {part("document", "application/pdf", "%PDF-1.7\x00"), ""},
		"a letter":                  {part("document", "application/msword", "\xd0\xcf\x11\xe0\x00"), ""},
		"a sheet":                   {part("document", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", zip), ""},
		"a sheet that is none":      {part("document", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", gzip), "its bytes are not what its type says"},
		"sound":                     {part("audio", "audio/mpeg", "\xff\xfb\x90\x00"), ""},
		"a provider's file":         {agui.ContentPart{Type: "document", Source: &agui.Source{Type: agui.SourceFile, Value: "file-1"}}, ""},
		"an address":                {linked("https://cdn.example/a.png"), ""},
		"data as an address":        {linked("data:text/plain,hello"), ""},
		"a packed file":             {part("document", "application/gzip", gzip), "files of the type application/gzip are not taken: images, audio, video, PDF, Word, Excel and text are"},
		"a picture that is none":    {part("image", "image/png", zip), "its bytes are not what its type says, image/png"},
		"a PDF that is none":        {part("document", "application/pdf", zip), "its bytes are not what its type says, application/pdf"},
		"a text that is none":       {part("document", "text/csv", gzip), "its bytes are not what its type says, text/csv"},
		"sound that is none":        {part("audio", "audio/wav", zip), "its bytes are not what its type says, audio/wav"},
		"bytes without a type":      {part("document", "", gzip), "its type is missing, and its bytes are no image, PDF or text"},
		"no base64":                 {broken, "it is not base64"},
		"a file of the server":      {linked("file:///etc/passwd"), "its address is not allowed: only http and https are"},
		"a script":                  {linked("javascript:alert(1)"), "its address is not allowed: only http and https are"},
		"a packed file elsewhere":   {linked("https://cdn.example/a.zip"), "files of the type application/zip are not taken: images, audio, video, PDF, Word, Excel and text are"},
		"a cloud's secrets":         {linked("http://169.254.169.254/latest/meta-data"), "its address is not allowed: a cloud provider's metadata address"},
		"a cloud's name for them":   {linked("http://metadata.google.internal/"), "its address is not allowed: it is a name of a private network"},
		"a short name for them":     {linked("http://metadata/"), "its address is not allowed: it is a name of a private network"},
		"this machine":              {linked("http://127.0.0.1:8420/v1/threads"), "its address is not allowed: a loopback address"},
		"this machine in disguise":  {linked("http://2130706433/"), "its address is not allowed: it is an address that is not written as usual"},
	} {
		t.Run(name, func(t *testing.T) {
			text := agui.ContentPart{Type: agui.PartText, Text: "Look"}
			msg := agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.PartsContent([]agui.ContentPart{text, tt.part})}
			m, err := mergeAll(nil, []agui.Message{msg})
			if tt.want == "" {
				if err != nil || string(m.Messages[0].Content.Raw()) != string(msg.Content.Raw()) {
					t.Errorf("%v, %s", err, m.Messages[0].Content.Raw())
				}
				return
			}
			e, ok := errors.AsType[*refusal.Error](err)
			if !ok || e.Code != refusal.Invalid || e.Field != "messages[0].content[1].source" || !strings.HasPrefix(e.Message, e.Field+": "+tt.want) {
				t.Fatalf("%v, want %q", err, tt.want)
			}
			// a client that has kept the message goes on
			next := agui.Message{ID: "u2", Role: agui.RoleUser, Content: agui.TextContent("And now?")}
			m, err = mergeAll(nil, []agui.Message{msg, next})
			if err != nil || len(m.Messages) != 2 {
				t.Fatalf("the next question: %v", err)
			}
			if parts, _ := m.Messages[0].Content.Parts(); parts[0].Text != "Look" || !strings.Contains(parts[1].Text, "cannot be shown, since "+tt.want) {
				t.Errorf("it is kept as %+v", parts)
			}
		})
	}
}
