package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo"
	"github.com/pageside/pageside/demo/lines"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// TestDemoNotes: whoever starts the demo is told how to get a real model, and which lines of the
// log were not taken.
func TestDemoNotes(t *testing.T) {
	lines := `127.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 23` + "\nnonsense\n"
	file := fileOf(t, "access.log", lines)
	for _, tt := range []struct {
		file string
		info llm.Info
		want []string
	}{
		{file, llm.Info{Provider: "openai"}, []string{"1 requests", "could not be read: 1, the first is line 2"}},
		{"", llm.Info{Scripted: true}, []string{"OPENAI_API_KEY", "generated sample", "320 generated articles", "--trials FILE"}},
	} {
		files := demo.Config{LogFile: tt.file}
		d := must.Get(demo.New(t.Context(), files))(t)
		has(t, strings.Join(demoNotes(d, files, tt.info), "\n"), tt.want...)
		must.Do(t, d.Close())
	}
}

// TestPrintLog: the sample that the demo shows can be had as a log, which the demo reads like any
// other.
func TestPrintLog(t *testing.T) {
	log := must.Get(answered(t, nil, "demo", "--print-log"))(t)
	file := fileOf(t, "sample.log", log)
	var stats []lines.Stats
	for _, file := range []string{"", file} {
		d := must.Get(demo.New(t.Context(), demo.Config{LogFile: file}))(t)
		stats = append(stats, d.Stats())
		must.Do(t, d.Close())
	}
	if !reflect.DeepEqual(stats[0], stats[1]) || stats[0].Count < 10_000 {
		t.Errorf("the demo shows %+v, what is printed has %+v", stats[0], stats[1])
	}
}

// TestDemoInstructions: the first stream comes with instructions, and what a user stored instead
// stays.
func TestDemoInstructions(t *testing.T) {
	d := must.Get(demo.New(t.Context(), demo.Config{}))(t)
	defer d.Close()
	st, local := temp.Store(t), store.Owner{Subject: "local"}
	stored := func() string {
		must.Do(t, storeInstructions(t.Context(), st, d))
		return must.Get(st.Instructions(t.Context(), local, "stream", "1"))(t).Text
	}
	has(t, stored(), "outcomes of patients")
	brief := store.Instructions{Kind: "stream", ID: "1", Text: "Be brief."}
	must.Do(t, st.PutInstructions(t.Context(), local, brief))
	must.Be(t, stored(), "Be brief.", "the instructions of a user")
}
