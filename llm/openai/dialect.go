package openai

import (
	"strings"

	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

var (
	// hears finds the models that are known to take audio. Others refuse it, and with it every
	// further question of the thread.
	hears = lazy.Regexp(`(?i)audio|omni|voxtral|ultravox`)
	// mistral finds the models whose templates and servers take no ids but their own.
	mistral = lazy.Regexp(`(?i)(^|[^a-z])(open-)?(mi[sx]tral|ministral|magistral|codestral|devstral|pixtral|voxtral)`)
)

// dialect is what the server takes, as far as that is known.
func (cfg *Config) dialect(info llm.Info) *llm.Dialect {
	d := &llm.Dialect{IDLength: 40}
	if cfg.Responses {
		d.IDLength = 64
	}
	if cfg.ofMistral() {
		d.IDLength, d.ExactIDs, d.UserLast = 9, true, true
	}
	if cfg.BaseURL == official || strings.HasSuffix(httpmodel.HostOf(cfg.BaseURL), ".azure.com") {
		d.MaxTools = 128
		if !cfg.Responses {
			d.MaxDescription = 1024
		}
	}
	name := strings.ToLower(cfg.Model)
	d.Schemas.PlainNames = cfg.BaseURL != official &&
		(strings.Contains(name, "claude") || strings.Contains(name, "anthropic"))
	media := &d.Media
	media.Images, media.URLs, media.PlainURLs = llm.WebImages, []string{"image"}, true
	if cfg.Provider == "ollama" { // it fetches nothing
		media.Images, media.URLs = []string{"image/png", "image/jpeg", "image/webp"}, nil
	}
	if info.PDF {
		media.Files = llm.PDF
	}
	if info.PDF && cfg.Responses {
		media.URLs = append(media.URLs, "document")
	}
	if info.Audio && !cfg.Responses {
		media.Audio = []string{"audio/wav", "audio/mpeg"}
	}
	return d
}

// ofMistral reports whether the model is Mistral's, whichever provider serves it.
func (cfg *Config) ofMistral() bool {
	host := httpmodel.HostOf(cfg.BaseURL)
	return host == "api.mistral.ai" || strings.HasSuffix(host, ".mistral.ai") || mistral().MatchString(cfg.Model)
}
