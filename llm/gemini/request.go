package gemini

import (
	"strconv"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/httpmodel"
)

// encoder writes a request.
type encoder struct {
	httpmodel.Turns
	model *Model

	names map[string]string // of the calls so far, by id
	order map[string]int    // of the calls so far, by id: their positions

	signature string // of the text that comes next
	// the calls of the content that is open must have a signature and have none yet
	unsigned bool
}

// encode returns the body of the request. What is the same in every call of a conversation comes
// first.
func (m *Model) encode(req *llm.Request) []byte {
	e := encoder{model: m, names: map[string]string{}, order: map[string]int{}}
	e.Turns = httpmodel.Turns{Encoder: httpmodel.NewEncoder(req), Open: e.open, TextBlock: textPart}
	e.Add(`{"generationConfig":`)
	e.Buf = append(e.Buf, e.settings(req)...)
	e.system(req.System)
	e.tools(req)
	e.contents(req.Messages)
	e.Extras(core)
	e.Add(`}`)
	return e.Buf
}

// settings returns the generationConfig: ours, and over it what Extra says.
func (e *encoder) settings(req *llm.Request) []byte {
	own := []byte{'{'}
	field := func(name string, value []byte) {
		if len(own) > 1 {
			own = append(own, ',')
		}
		own = append(append(jsonx.AppendString(own, name), ':'), value...)
	}
	if req.MaxTokens > 0 {
		field("maxOutputTokens", strconv.AppendInt(nil, int64(req.MaxTokens), 10))
	}
	if req.Temperature != nil {
		field("temperature", strconv.AppendFloat(nil, *req.Temperature, 'g', -1, 64))
	}
	if t := e.model.thinkingConfig(req); t != nil {
		field("thinkingConfig", t)
	}
	own = append(own, '}')
	if extra := e.Extra("generationConfig"); jsonx.KindOf(extra) == jsonx.Object {
		return jsonx.MergeObjects(own, extra)
	}
	return own
}

// thinkingConfig asks for the thoughts, and for as much thinking as the effort stands for. Thoughts
// count as output: they get at most half of it, or no words would be left.
func (m *Model) thinkingConfig(req *llm.Request) []byte {
	if !m.info.Reasoning || m.family.Thinking == "" {
		return nil
	}
	config := []byte(`{"includeThoughts":true`)
	if budget := m.budget(req); budget == 0 {
		return []byte(`{"thinkingBudget":0}`)
	} else if budget > 0 {
		config = strconv.AppendInt(append(config, `,"thinkingBudget":`...), int64(budget), 10)
	}
	if level := levelOf(m.family, llm.Level(req.Effort)); level != "" {
		config = append(append(append(config, `,"thinkingLevel":"`...), level...), '"')
	}
	return append(config, '}')
}

// Budgets below which a model cannot think: of most, and of those that cannot but think.
const (
	leastBudget    = 512
	leastBudgetPro = 128
)

// budget returns how many tokens the model may think for, or -1 if that is its own choice.
func (m *Model) budget(req *llm.Request) int {
	budget := allBudgets[llm.Level(req.Effort)]
	if budget == 0 && req.MaxTokens > 0 { // its own choice would leave no room either
		budget = mostBudget
	}
	switch half := req.MaxTokens / 2; {
	case budget == 0 || m.family.Thinking != catalog.Budget:
		return -1
	case req.MaxTokens == 0 || half >= budget:
		return budget
	case half >= leastBudget:
		return half
	}
	if strings.Contains(m.cfg.Model, "pro") {
		return leastBudgetPro
	}
	return 0
}

func (e *encoder) system(blocks []llm.Block) {
	blocks = httpmodel.SystemBlocks(blocks)
	if len(blocks) == 0 {
		return
	}
	e.Add(`,"systemInstruction":{"parts":[`)
	for _, b := range blocks {
		e.Next(textPart)
		e.String(b.Text)
		e.Add(`}`)
	}
	e.Add(`]}`)
}

func (e *encoder) tools(req *llm.Request) {
	if len(req.Tools) == 0 {
		return
	}
	e.Add(`,"tools":[{"functionDeclarations":[`)
	for _, t := range req.Tools {
		e.Next(`{"name":`)
		e.String(t.Name)
		if t.Description != "" {
			e.AddString(`,"description":`, t.Description)
		}
		if t.Parameters != nil {
			e.Add(`,"parametersJsonSchema":`)
			e.Buf = append(e.Buf, t.Parameters...)
		}
		e.Add(`}`)
	}
	e.Add(`]}]`)
	if req.Choice == llm.ChoiceAuto || !e.Owns("toolConfig") {
		return
	}
	mode := "ANY"
	if req.Choice == llm.ChoiceNone {
		mode = "NONE"
	}
	e.Add(`,"toolConfig":{"functionCallingConfig":{"mode":"` + mode + `"}}`)
}

// core are the fields no Extra may set: ours would be lost with them.
var core = []string{"contents", "tools", "systemInstruction", "generationConfig"}
