package library

import (
	"slices"
	"strings"
)

// Some exports split lists of terms at every comma, those inside a term too. These are terms with
// commas, to be put together again.
var (
	typeParts = partsOf("Clinical Trial, Phase I", "Clinical Trial, Phase II", "Clinical Trial, Phase III", "Clinical Trial, Phase IV", "Research Support, Non-U.S. Gov't",
		"Research Support, U.S. Gov't, P.H.S.", "Research Support, U.S. Gov't, Non-P.H.S.", "Research Support, N.I.H., Extramural", "Research Support, N.I.H., Intramural")
	meshParts = partsOf("Leukemia, Myeloid, Acute", "Leukemia, Myeloid", "Leukemia, Myeloid, Chronic-Phase", "Leukemia, Myelogenous, Chronic, BCR-ABL Positive", "Leukemia, Erythroblastic, Acute",
		"Leukemia, Promyelocytic, Acute", "Leukemia, Monocytic, Acute", "Leukemia, Basophilic, Acute", "Leukemia, Megakaryoblastic, Acute", "Leukemia, Biphenotypic, Acute", "Leukemia, Lymphoid",
		"Leukemia, Mast-Cell", "Leukemia, Radiation-Induced", "Leukemia, Myelomonocytic, Acute", "Leukemia, Myelomonocytic, Chronic", "Leukemia, Lymphocytic, Chronic, B-Cell", "Leukemia Virus, Murine",
		"Aged, 80 and over", "Cloning, Molecular", "RNA, Messenger", "RNA, Small Interfering", "RNA, Long Noncoding", "DNA, Complementary", "DNA, Neoplasm", "DNA, Recombinant", "RNA, Neoplasm",
		"Sequence Homology, Amino Acid", "Sequence Homology, Nucleic Acid", "Child, Preschool", "Infant, Newborn", "Transplantation, Homologous", "Transplantation, Autologous",
		"Transplantation, Haploidentical", "Transplantation, Heterologous", "Bridged Bicyclo Compounds, Heterocyclic", "Gene Expression Regulation, Leukemic", "Gene Expression Regulation, Neoplastic",
		"Gene Expression Regulation, Enzymologic", "Gene Expression Regulation, Developmental", "Antibodies, Monoclonal", "Antibodies, Monoclonal, Humanized", "Antibodies, Bispecific",
		"Dose-Response Relationship, Drug", "Neoplasm Recurrence, Local", "Neoplasm, Residual", "Oncogene Proteins, Fusion", "Blotting, Northern", "Blotting, Southern", "Blotting, Western",
		"Mice, SCID", "Mice, Inbred C57BL", "Mice, Inbred NOD", "Mice, Knockout", "Mice, Inbred BALB C", "Mice, Transgenic", "Mice, Inbred Strains", "Mice, Inbred C3H", "Mice, Nude",
		"Administration, Oral", "Killer Cells, Natural", "Neoplasms, Second Primary", "Receptors, Retinoic Acid", "Receptors, Chimeric Antigen", "Receptors, KIR", "Receptors, Antigen, T-Cell",
		"Receptors, Antigen, T-Cell, alpha-beta", "Receptors, Cell Surface", "Receptors, CXCR4", "Protein Structure, Tertiary", "Adaptor Proteins, Signal Transducing", "Disease Models, Animal",
		"Immunotherapy, Adoptive", "Drug Therapy, Combination", "Antineoplastic Agents, Immunological", "Antineoplastic Agents, Alkylating", "Protein Processing, Post-Translational",
		"Crystallography, X-Ray", "Antigens, CD", "Antigens, CD34", "Antigens, CD19", "Antigens, CD7", "Antigens, Nuclear", "Antigens, Surface", "Antigens, Differentiation",
		"Antigens, Differentiation, Myelomonocytic", "Genes, p53", "Genes, ras", "Genes, myc", "Genes, Tumor Suppressor", "Genes, Homeobox", "Genes, Reporter", "Models, Biological", "Models, Theoretical",
		"Polymorphism, Single Nucleotide", "Chromosomal Proteins, Non-Histone", "Clinical Trials, Phase I as Topic", "Clinical Trials, Phase II as Topic", "Clinical Trials, Phase III as Topic",
		"Mutagenesis, Insertional", "Mutagenesis, Site-Directed", "Carcinoma, Hepatocellular", "Carcinoma, Non-Small-Cell Lung", "Mutation, Missense", "Cell Line, Transformed", "Cell Line, Tumor",
		"Lymphoma, Non-Hodgkin", "T-Lymphocytes, Cytotoxic", "T-Lymphocytes, Regulatory", "Lectins, C-Type", "Chemotherapy, Adjuvant", "Anemia, Refractory", "Anemia, Refractory, with Excess of Blasts",
		"Drug Resistance, Neoplasm", "Tumor Cells, Cultured", "Cells, Cultured", "Immunity, Innate", "Drugs, Chinese Herbal", "Drug Evaluation, Preclinical", "Stress, Physiological",
		"Biomarkers, Tumor", "Predictive Value of Tests", "Transcription, Genetic", "Translocation, Genetic", "Promoter Regions, Genetic", "Leukocytes, Mononuclear", "Databases, Factual",
		"Myelodysplastic-Myeloproliferative Diseases", "Thrombocythemia, Essential", "Chromosomes, Artificial, Yeast",
		"Chromosomes, Human, Pair 1", "Chromosomes, Human, Pair 3", "Chromosomes, Human, Pair 4", "Chromosomes, Human, Pair 5", "Chromosomes, Human, Pair 6", "Chromosomes, Human, Pair 7",
		"Chromosomes, Human, Pair 8", "Chromosomes, Human, Pair 9", "Chromosomes, Human, Pair 10", "Chromosomes, Human, Pair 11", "Chromosomes, Human, Pair 12", "Chromosomes, Human, Pair 13",
		"Chromosomes, Human, Pair 14", "Chromosomes, Human, Pair 15", "Chromosomes, Human, Pair 16", "Chromosomes, Human, Pair 17", "Chromosomes, Human, Pair 19", "Chromosomes, Human, Pair 20",
		"Chromosomes, Human, Pair 21", "Chromosomes, Human, Pair 22", "Chromosomes, Human")
)

// partsOf groups terms by their first part, the longest first.
func partsOf(terms ...string) map[string][][]string {
	by := map[string][][]string{}
	for _, term := range terms {
		if parts := strings.Split(term, ", "); len(parts) > 1 {
			by[parts[0]] = append(by[parts[0]], parts)
		}
	}
	for _, list := range by {
		slices.SortFunc(list, func(a, b []string) int { return len(b) - len(a) })
	}
	return by
}

// joinParts puts the parts of known terms together where they follow one another, and drops what
// comes twice.
func joinParts(list []string, known map[string][][]string) []string {
	joined := make([]string, 0, len(list))
	for i := 0; i < len(list); {
		term, n := list[i], 1
		for _, parts := range known[list[i]] {
			if len(parts) <= len(list)-i && slices.Equal(parts, list[i:i+len(parts)]) {
				term, n = strings.Join(parts, ", "), len(parts)
				break
			}
		}
		if !slices.Contains(joined, term) {
			joined = append(joined, term)
		}
		i += n
	}
	return joined
}
