package a2a

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/strict"
	"github.com/pageside/pageside/store"
)

// sealer seals the credentials of push notification configs with AES-256-GCM before they are
// stored: with its first key. It opens what any of its keys has sealed. The zero value seals
// nothing.
type sealer struct{ keys []sealingKey }

type sealingKey struct {
	id   string // of the key; it tells nothing of it
	aead cipher.AEAD
}

// newSealer derives the keys from secrets.
func newSealer(secrets [][]byte) (s sealer, err error) {
	for _, secret := range secrets {
		both, err := hkdf.Key(sha256.New, secret, nil, "pageside: credentials of push notifications", 32+4)
		if err != nil {
			return s, fmt.Errorf("derive a key: %w", err)
		}
		block, err := aes.NewCipher(both[:32])
		if err != nil {
			return s, fmt.Errorf("make a cipher: %w", err)
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return s, fmt.Errorf("make a cipher: %w", err)
		}
		s.keys = append(s.keys, sealingKey{hex.EncodeToString(both[32:]), aead})
	}
	return s, nil
}

// storedConfig is a config as the store has it: with its credentials, or with Sealed in their
// place.
type storedConfig struct {
	URL string `json:"url"`
	credentials
	Sealed string `json:"sealed,omitzero"` // the id of the key, a dot, and base64
}

type credentials struct {
	Token string            `json:"token,omitzero"`
	Auth  *a2a.PushAuthInfo `json:"authentication,omitzero"`
}

// boundTo is what sealed credentials are bound to, so that someone who can write to the store
// cannot have them sent to another address or for another task.
func boundTo(o store.Owner, w store.Webhook, address string) []byte {
	// By this encoder for ever: with other bytes, what is stored could not be opened. Strings: it
	// cannot fail.
	doc, _ := json.Marshal([]string{o.Tenant, o.Subject, w.RunID, w.ID, address})
	return doc
}

// seal returns the stored form of a config. w names it.
func (s sealer) seal(o store.Owner, w store.Webhook, c *a2a.PushConfig) json.RawMessage {
	stored := storedConfig{URL: c.URL, credentials: credentials{c.Token, c.Auth}}
	if len(s.keys) > 0 && stored.credentials != (credentials{}) {
		plain, key := jsonx.Marshal(stored.credentials), s.keys[0]
		stored.credentials = credentials{}
		stored.Sealed = key.id + "." +
			base64.RawStdEncoding.EncodeToString(key.aead.Seal(nil, nil, plain, boundTo(o, w, c.URL)))
	}
	return jsonx.Marshal(stored)
}

// open reads a stored config. If it cannot open the credentials, it returns the config without
// them and an error.
func (s sealer) open(o store.Owner, w store.Webhook) (*a2a.PushConfig, error) {
	var stored storedConfig
	if err := strict.Decode(w.Config, &stored); err != nil {
		return new(a2a.PushConfig), errors.New("the stored config cannot be read")
	}
	c := &a2a.PushConfig{URL: stored.URL, Token: stored.Token, Auth: stored.Auth}
	if stored.Sealed == "" {
		return c, nil
	}
	id, text, _ := strings.Cut(stored.Sealed, ".")
	for _, key := range s.keys {
		if key.id != id {
			continue
		}
		sealed, err := base64.RawStdEncoding.DecodeString(text)
		if err == nil {
			sealed, err = key.aead.Open(nil, nil, sealed, boundTo(o, w, stored.URL))
		}
		var kept credentials
		if err != nil || json.Unmarshal(sealed, &kept) != nil {
			return c, errors.New("the sealed credentials were changed, or belong to another config")
		}
		c.Token, c.Auth = kept.Token, kept.Auth
		return c, nil
	}
	return c, fmt.Errorf("the credentials are sealed with the key %q, which pushKeys does not have", id)
}
