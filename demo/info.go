package demo

import (
	"github.com/pageside/pageside/demo/accesslog"
)

type info struct {
	Source   sourceInfo     `json:"source"`
	Total    int            `json:"total"`
	BadLines int            `json:"badLines"`
	Time     *timeInfo      `json:"time"`
	Fields   []fieldInfo    `json:"fields"`
	Sources  []sourceOption `json:"sources"`
	Model    modelInfo      `json:"model"`
	Samples  []string       `json:"samples"`
}

type sourceInfo struct {
	Name      string `json:"name"`
	File      string `json:"file"` // base name
	Generated bool   `json:"generated"`
	Label     string `json:"label"`
}

type timeInfo struct {
	Min string `json:"min"`
	Max string `json:"max"`
}

type fieldInfo struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
}

type modelInfo struct {
	Name     string `json:"name"`
	Scripted bool   `json:"scripted"`
}

// samples are questions that the page offers; the scripted model can answer all of them.
var samples = []string{
	"Which pages give the most 404s?",
	"Show errors by status",
	"What happened in this log?",
	"Show the last 6 hours",
	"Who are the top clients?",
	"Why so few results?",
	"Draw a chart of requests by hour",
	"Alert me when there are more than 20 404s in an hour",
	"Use another data source",
}

func (d *Demo) info() info {
	i := info{
		Source:   sourceInfo{Name: d.schema.Source, File: d.log.Name, Generated: d.log.Name == "", Label: d.log.Name},
		Total:    d.log.Stats.Total,
		BadLines: d.log.Stats.Bad,
		Model:    modelInfo{d.config.Model.Name(), d.config.Model.Scripted},
		Samples:  samples,
	}
	if i.Source.Generated {
		i.Source.Label = "Generated sample"
	}
	if i.Total > 0 {
		i.Time = &timeInfo{formatTime(d.log.Stats.Min), formatTime(d.log.Stats.Max)}
	}
	for _, s := range d.sources {
		i.Sources = append(i.Sources, s.option())
	}
	i.Fields = i.Sources[0].Fields
	return i
}

// describeColumn says what a field means.
func describeColumn(name string) string {
	for _, c := range accesslog.Columns {
		if c.Name == name {
			return c.Description
		}
	}
	return ""
}
