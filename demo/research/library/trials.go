package library

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/internal/visible"
)

// TrialBrief is what lists show of a clinical trial.
type TrialBrief struct {
	NCT             string   `json:"nct"`
	Title           string   `json:"title"`
	Status          string   `json:"status"`      // RECRUITING
	StatusLabel     string   `json:"statusLabel"` // Recruiting
	Phase           string   `json:"phase"`       // Phase 1/Phase 2, for people
	Phases          []string `json:"phases"`      // PHASE1, PHASE2
	Conditions      []string `json:"conditions"`
	Interventions   []string `json:"interventions"`
	Sponsor         string   `json:"sponsor"`
	Start           string   `json:"start"`
	Completion      string   `json:"completion"`
	PrimaryOutcomes []string `json:"primaryOutcomes"` // the measures' names
	StudyType       string   `json:"studyType"`
}

// Trial is a clinical trial.
type Trial struct {
	TrialBrief
	Summary           string   `json:"summary"`
	PrimaryMeasures   []string `json:"primaryMeasures"` // with their description and time
	SecondaryOutcomes []string `json:"secondaryOutcomes"`
	Collaborators     []string `json:"collaborators"`
	Age               string   `json:"age"`
	Design            string   `json:"design"`
	URL               string   `json:"url"`
	Results           bool     `json:"results"`
}

// Phases are ClinicalTrials.gov's phases in their order.
var Phases = []Count{{Value: "EARLY_PHASE1", Label: "Early Phase 1"}, {Value: "PHASE1", Label: "Phase 1"}, {Value: "PHASE2", Label: "Phase 2"},
	{Value: "PHASE3", Label: "Phase 3"}, {Value: "PHASE4", Label: "Phase 4"}, {Value: "NA", Label: "Not applicable"}}

// phaseLabel writes phases for people; a trial without one has "Not given".
func phaseLabel(phases []string) string {
	var labels []string
	for _, p := range Phases {
		if slices.Contains(phases, p.Value) {
			labels = append(labels, p.Label)
		}
	}
	if labels == nil {
		return "Not given"
	}
	return strings.Join(labels, "/")
}

// StatusLabel writes a status for people: ACTIVE_NOT_RECRUITING is "Active, not recruiting".
func StatusLabel(status string) string {
	switch status {
	case "ACTIVE_NOT_RECRUITING":
		return "Active, not recruiting"
	case "":
		return "Not given"
	}
	text := strings.ToLower(strings.ReplaceAll(status, "_", " "))
	return strings.ToUpper(text[:1]) + text[1:]
}

// splitList splits at |, as the export joins lists.
func splitList(s string) []string {
	list := []string{}
	for part := range strings.SplitSeq(s, "|") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// measureName is an outcome measure without its description and time, which the export puts behind
// a comma.
func measureName(measure string) string {
	name, _, _ := strings.Cut(measure, ", ")
	return name
}

func trialOfRecord(r map[string]string) *Trial {
	return &Trial{
		TrialBrief: TrialBrief{NCT: r["NCT Number"], Title: r["Study Title"], Status: r["Study Status"], Phases: splitList(r["Phases"]), Conditions: splitList(r["Conditions"]),
			Interventions: splitList(r["Interventions"]), Sponsor: r["Sponsor"], Start: r["Start Date"], Completion: cmp.Or(r["Completion Date"], r["Primary Completion Date"]), StudyType: r["Study Type"]},
		Summary: r["Brief Summary"], PrimaryMeasures: splitList(r["Primary Outcome Measures"]), SecondaryOutcomes: splitList(r["Secondary Outcome Measures"]),
		Collaborators: splitList(r["Collaborators"]), Age: r["Age"], Design: r["Study Design"], URL: r["Study URL"], Results: strings.EqualFold(r["Study Results"], "YES"),
	}
}

var nctNumber = regexp.MustCompile(`^NCT\d{8}$`)

// check reports why the entry is no trial, and puts what it has in order.
func (t *Trial) check() string {
	t.NCT = strings.ToUpper(t.NCT)
	if !nctNumber.MatchString(t.NCT) {
		return fmt.Sprintf("%q is no NCT number", visible.Clip(t.NCT, 40))
	}
	if t.Title == "" {
		return t.NCT + " has no title"
	}
	t.Phase, t.StatusLabel = phaseLabel(t.Phases), StatusLabel(t.Status)
	if !strings.HasPrefix(t.URL, "https://") {
		t.URL = "https://clinicaltrials.gov/study/" + t.NCT
	}
	t.PrimaryOutcomes = []string{}
	for _, m := range t.PrimaryMeasures {
		t.PrimaryOutcomes = append(t.PrimaryOutcomes, measureName(m))
	}
	for _, list := range []*[]string{&t.Phases, &t.Conditions, &t.Interventions, &t.PrimaryMeasures, &t.SecondaryOutcomes, &t.Collaborators} {
		*list = refuse.List(*list)
	}
	return ""
}

func (t *Trial) key() string { return t.NCT }

// trial is a Trial as searches see it.
type trial struct {
	Trial
	texts pubmed.Texts
	start int // as pubmed.Day makes it
	rank  int // by phase
}

func indexTrial(t Trial) trial {
	rank := slices.IndexFunc(Phases, func(p Count) bool { return slices.Contains(t.Phases, p.Value) })
	return trial{t, pubmed.Texts{
		"title":         pubmed.Spaced(t.Title),
		"summary":       pubmed.Spaced(t.Summary),
		"conditions":    spaced(t.Conditions),
		"interventions": spaced(t.Interventions),
		"outcomes":      spaced(t.PrimaryMeasures, t.SecondaryOutcomes),
		"sponsor":       pubmed.Spaced(t.Sponsor),
		"ids":           pubmed.Spaced(t.NCT),
	}, pubmed.Day(t.Start), rank*10 + len(t.Phases)}
}
