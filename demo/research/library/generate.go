package library

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// The generated library: made up from these words, always the same. Its PMIDs and NCT numbers are
// above those that were ever given, its journals do not exist, and its abstracts say what they are.
var (
	madeDrugs = []struct{ name, class, mesh string }{
		{"venetoclax", "BCL-2 inhibitor", "Sulfonamides"}, {"venetoclax", "BCL-2 inhibitor", "Sulfonamides"}, {"gilteritinib", "FLT3 inhibitor", "Aniline Compounds"}, {"midostaurin", "FLT3 inhibitor", "Staurosporine"},
		{"quizartinib", "FLT3 inhibitor", "Benzothiazoles"}, {"azacitidine", "hypomethylating agent", "Azacitidine"}, {"decitabine", "hypomethylating agent", "Decitabine"},
		{"ivosidenib", "IDH1 inhibitor", "Pyridines"}, {"enasidenib", "IDH2 inhibitor", "Aminopyridines"}, {"cytarabine", "nucleoside analogue", "Cytarabine"},
		{"gemtuzumab ozogamicin", "CD33 antibody-drug conjugate", "Gemtuzumab"}, {"CPX-351", "liposomal combination", "Daunorubicin"}, {"CD123 CAR-T cells", "cell therapy", "Receptors, Chimeric Antigen"},
	}
	madePopulations = []struct{ text, mesh string }{
		{"older patients with newly diagnosed acute myeloid leukemia", "Aged, 80 and over"}, {"relapsed or refractory acute myeloid leukemia", "Neoplasm Recurrence, Local"},
		{"adults fit for intensive chemotherapy", "Adult"}, {"children with acute myeloid leukemia", "Child"}, {"FLT3-mutated acute myeloid leukemia", "Mutation"},
		{"acute myeloid leukemia after transplantation", "Hematopoietic Stem Cell Transplantation"}, {"TP53-mutated acute myeloid leukemia", "Genes, p53"},
	}
	madeDesigns = []struct {
		text  string
		types []string
	}{
		{"a randomized phase 3 trial", []string{"Clinical Trial, Phase III", "Randomized Controlled Trial"}}, {"a phase 2 study", []string{"Clinical Trial, Phase II"}},
		{"a phase 1b/2 study", []string{"Clinical Trial, Phase I", "Clinical Trial, Phase II"}}, {"a multicenter retrospective analysis", []string{"Multicenter Study"}},
		{"a systematic review", []string{"Review", "Systematic Review"}}, {"results of a registry", []string{"Observational Study"}}, {"mechanisms of resistance in cell lines", []string{"Research Support, Non-U.S. Gov't"}},
	}
	madeOutcomes = []struct{ text, measure, mesh string }{
		{"overall survival", "Overall survival", "Survival Analysis"}, {"complete remission", "Complete remission rate", "Remission Induction"}, {"measurable residual disease", "Rate of measurable residual disease", "Neoplasm, Residual"},
		{"event-free survival", "Event-free survival", "Disease-Free Survival"}, {"safety and tolerability", "Incidence of adverse events", "Maximum Tolerated Dose"}, {"drug resistance", "Time to resistance", "Drug Resistance, Neoplasm"},
	}
	madeJournals = []string{"Annals of Generated Haematology", "Journal of Sample Oncology", "Demonstration Letters in Leukemia", "The Synthetic Lancet", "Example Reports in Medicine", "Archives of Invented Trials"}
	madeLast     = []string{"Abernathy", "Bergström", "Castellanos", "Dvorak", "Eriksen", "Fontaine", "Grünwald", "Hashimoto", "Ivanova", "Jansen", "Kowalski", "Lindqvist", "Moreau", "Nakamura", "Okafor", "Petrov", "Quintana", "Rossi"}
	madeFirst    = []string{"Ada", "Ben", "Chloe", "Daniel", "Elena", "Felix", "Grace", "Hugo", "Iris", "Jonas", "Katja", "Luis", "Mina", "Noah"}
	madeSponsors = []string{"Sample University Hospital", "Generated Medical Center", "Invented Pharma AG", "Example Cancer Network", "Demonstration Institute of Hematology", "Placeholder Therapeutics, Inc."}
	madeStatuses = []string{"RECRUITING", "RECRUITING", "RECRUITING", "COMPLETED", "COMPLETED", "ACTIVE_NOT_RECRUITING", "NOT_YET_RECRUITING", "TERMINATED", "UNKNOWN", "WITHDRAWN"}
)

const (
	madeArticles = 320
	madeTrials   = 80
)

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func firstUpper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// generatedArticles makes articles of 2012 to 2025, the more the later.
func generatedArticles() []Article {
	r := rand.New(rand.NewPCG(2026, 1))
	list := make([]Article, madeArticles)
	for i := range list {
		list[i] = generatedArticle(r, i)
	}
	return list
}

func generatedArticle(r *rand.Rand, i int) Article {
	drug, population, design, outcome := pick(r, madeDrugs), pick(r, madePopulations), pick(r, madeDesigns), pick(r, madeOutcomes)
	partner := pick(r, madeDrugs)
	what, with := firstUpper(drug.name), ""
	beside := ""
	if partner.name != drug.name && r.IntN(2) == 0 {
		beside = " with " + partner.name
		if r.IntN(3) > 0 { // some titles do not name it
			with = beside
		}
	}
	a := Article{PMID: fmt.Sprint(99000001 + i), Journal: pick(r, madeJournals), Types: slices.Concat([]string{"Journal Article"}, design.types),
		Title: fmt.Sprintf("%s%s in %s: %s.", what, with, population.text, design.text),
		MeSH:  []string{"Humans", "Leukemia, Myeloid, Acute", drug.mesh, population.mesh, outcome.mesh, "Antineoplastic Combined Chemotherapy Protocols"}}
	if outcome.text == "drug resistance" {
		a.Title = fmt.Sprintf("Resistance to %s%s in %s: %s.", drug.name, with, population.text, design.text)
	}
	for _, sex := range []string{"Male", "Female", "Middle Aged"} {
		if r.IntN(3) > 0 {
			a.MeSH = append(a.MeSH, sex)
		}
	}
	for range 2 + r.IntN(6) {
		a.Authors = append(a.Authors, pick(r, madeLast)+" "+pick(r, madeFirst))
	}
	year := 2025 - int(float64(r.IntN(14))*r.Float64())
	a.Date = fmt.Sprintf("%d-%02d-%02d", year, 1+r.IntN(12), 1+r.IntN(28))
	patients, rate := 20+r.IntN(400), 20+r.IntN(60)
	a.Abstract = fmt.Sprintf("This abstract was generated for a demonstration. BACKGROUND: The %s %s was studied%s in %s. METHODS: %s with %d patients; the main outcome was %s. "+
		"RESULTS: %d%% of the patients had a response. CONCLUSIONS: None should be drawn from made-up data.", drug.class, drug.name, beside, population.text, firstUpper(design.text), patients, outcome.text, rate)
	if r.IntN(4) == 0 {
		a.NCT = fmt.Sprintf("NCT%08d", 99000001+r.IntN(madeTrials))
	}
	return a
}

func generatedTrials() []Trial {
	r := rand.New(rand.NewPCG(2026, 2))
	list := make([]Trial, madeTrials)
	for i := range list {
		list[i] = generatedTrial(r, i)
	}
	return list
}

func generatedTrial(r *rand.Rand, i int) Trial {
	drug, population, outcome := pick(r, madeDrugs), pick(r, madePopulations), pick(r, madeOutcomes)
	phases := pick(r, [][]string{{"PHASE1"}, {"PHASE1"}, {"PHASE2"}, {"PHASE2"}, {"PHASE2"}, {"PHASE1", "PHASE2"}, {"PHASE3"}, {"PHASE3"}, {"EARLY_PHASE1"}, {"NA"}})
	year, month := 2014+r.IntN(12), 1+r.IntN(12)
	t := Trial{
		TrialBrief: TrialBrief{NCT: fmt.Sprintf("NCT%08d", 99000001+i), Title: fmt.Sprintf("%s in %s", firstUpper(drug.name), firstUpper(population.text)), Status: pick(r, madeStatuses), Phases: phases,
			Conditions: []string{"Acute Myeloid Leukemia"}, Interventions: []string{"DRUG: " + firstUpper(drug.name)}, Sponsor: pick(r, madeSponsors),
			Start: fmt.Sprintf("%d-%02d-%02d", year, month, 1+r.IntN(28)), Completion: fmt.Sprintf("%d-%02d-%02d", year+2+r.IntN(3), month, 1+r.IntN(28)), StudyType: "INTERVENTIONAL"},
		Summary: fmt.Sprintf("This trial was generated for a demonstration. It looks at %s of the %s %s in %s.", outcome.text, drug.class, drug.name, population.text),
		Age:     "ADULT, OLDER_ADULT", Design: "Allocation: NA|Intervention Model: SINGLE_GROUP|Masking: NONE|Primary Purpose: TREATMENT",
		PrimaryMeasures: []string{fmt.Sprintf("%s, as first observed, %d months", outcome.measure, 6*(1+r.IntN(6)))},
	}
	if partner := pick(r, madeDrugs); partner.name != drug.name && r.IntN(2) == 0 {
		t.Interventions = append(t.Interventions, "DRUG: "+firstUpper(partner.name))
		t.Title = fmt.Sprintf("%s With %s in %s", firstUpper(drug.name), firstUpper(partner.name), firstUpper(population.text))
	}
	if population.mesh == "Child" {
		t.Age = "CHILD"
	}
	if second := pick(r, madeOutcomes); second.measure != outcome.measure {
		t.SecondaryOutcomes = []string{fmt.Sprintf("%s, as first observed, 24 months", second.measure)}
	}
	return t
}
