package demo

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/ask"
)

// TestOtherLanguages: a question that is not in English gets one sentence in its language, and
// three questions in English that are answered.
func TestOtherLanguages(t *testing.T) {
	d := openSample(t)
	for question, says := range map[string]string{
		"Wie viele Fehler gab es?": "versteht nur Englisch", "Wer sind die größten Clients?": "versteht nur Englisch", "Was sehe ich hier?": "versteht nur Englisch", "Danke!": "versteht nur Englisch",
		"Lösche alle Filter": "versteht nur Englisch", "Combien de requêtes y a-t-il ?": "comprend que l'anglais", "¿Cuántos errores hay?": "solo entiende inglés",
		"Quanti errori ci sono?": "capisce solo l'inglese", "Quantos erros há?": "só entende inglês", "Hoeveel fouten zijn er?": "verstaat alleen Engels",
	} {
		s := newScreen(t, d)
		answer := s.ask(question)
		if !strings.Contains(answer, says) || strings.Count(strings.TrimSpace(answer), "\n") > 0 || len(s.calls) > 0 {
			t.Errorf("%s: %s %v", question, answer, s.calls)
		}
		if len(s.suggested) != 3 {
			t.Fatalf("%s: it offers %q", question, s.suggested)
		}
		for _, chip := range s.suggested {
			if a := newScreen(t, d).ask(chip); refused(a) {
				t.Errorf("%s: %s", chip, a)
			}
		}
	}
}

// TestEnglishIsNotForeign: no question of the tests, which are English, is taken for another
// language.
func TestEnglishIsNotForeign(t *testing.T) {
	for _, question := range []string{"hi", "errors", "404s in the last hour", "requests from 10.x", "GET /de/index.html", "articles by von Berg", "who is die?", "stats", "articles by Le"} {
		if sentence, ok := ask.Foreign(question); ok {
			t.Errorf("%s: %s", question, sentence)
		}
	}
}
