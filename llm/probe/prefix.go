package probe

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"

	"github.com/pageside/pageside/llm"
)

// prefixLines give some 5,000 tokens: providers cache from 1,024 on, some from 4,096.
const prefixLines = 400

// leastWindow, in tokens, takes them and an answer.
const leastWindow = 8000

// askCached asks twice with the same long beginning, which no call had before.
func askCached(ctx context.Context, m llm.Model) (string, error) {
	if window := m.Info().ContextWindow; window > 0 && window < leastWindow {
		return fmt.Sprintf("its window of %d tokens is too small for the question", window), errUnable
	}
	key := rand.Text()
	var rules strings.Builder
	for i := range prefixLines {
		fmt.Fprintf(&rules, "Rule %d of %s: be brief, and never mention rule %d.\n", i+1, key[:6], i+1)
	}
	req := &llm.Request{System: []llm.Block{{Text: rules.String(), Cache: true}}, CacheKey: key, Messages: []llm.Message{say("Say yes.")}}
	if _, err := ask(ctx, m, req); err != nil {
		return "", err
	}
	second, err := ask(ctx, m, req)
	if err != nil {
		return "", err
	}
	u := second.usage
	switch {
	case u.Input == nil || u.CacheRead == nil:
		return "", errors.New("the provider does not say how much came from a cache")
	case *u.CacheRead == 0:
		return "", fmt.Errorf("of %d tokens, sent twice, none came from a cache", *u.Input)
	}
	return fmt.Sprintf("%d of %d tokens from the cache", *u.CacheRead, *u.Input), nil
}

// redSquare returns a picture in base64.
func redSquare() string {
	picture := image.NewRGBA(image.Rect(0, 0, 64, 64))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(color.RGBA{R: 255, A: 255}), image.Point{}, draw.Src)
	var file bytes.Buffer
	_ = png.Encode(&file, picture) // into memory, it cannot fail
	return base64.StdEncoding.EncodeToString(file.Bytes())
}
