package demo

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestGermanRefusals: what the rules do not know in German is refused in German, with three
// questions that are answered, in German too.
func TestGermanRefusals(t *testing.T) {
	d := openSample(t)
	for _, question := range []string{"Was sehe ich hier?", "Woher kommen die Besucher?", "Analysiere die Seite", "Welche Felder gibt es?", "Vergleiche Chrome und Firefox", "Erkläre mir PPL-Funktionen"} {
		s := newScreen(t, d)
		if answer := s.ask(question); !strings.HasPrefix(answer, "Das kann ich nicht beantworten") {
			t.Errorf("%s: %s", question, answer)
		}
		if len(s.suggested) != 3 {
			t.Fatalf("%s: it offers %q", question, s.suggested)
		}
		for _, chip := range s.suggested {
			if answer := newScreen(t, d).ask(chip); refused(answer) || !strings.ContainsAny(answer, "äöüß") && !strings.Contains(answer, "Anfragen") {
				t.Errorf("%s: %s", chip, answer)
			}
		}
	}
}

// TestGermanSuggestions: after a question in German, what might be asked next is in German too, and
// is answered; after one in English it is not.
func TestGermanSuggestions(t *testing.T) {
	d := openSample(t)
	offered := map[string]bool{}
	for question, german := range map[string]bool{
		"Wie viele Fehler gab es?": true, "Zeige Fehler nach Status": true, "nur 404er": true, "show only the 404s of 418": false, "Show errors by status": false, "was that all?": false,
	} {
		s := newScreen(t, d)
		s.ask(question)
		s.extra = map[string]any{"The last question and the end of its answer": map[string]any{"question": question}}
		var next []string
		if err := json.Unmarshal([]byte(s.ask("Suggest 3 messages.")), &next); err != nil || len(next) != 3 {
			t.Fatalf("%s: %q, %v", question, next, err)
		}
		for _, chip := range next {
			if strings.EqualFold(chip, question) {
				t.Errorf("%s: it offers the same again", question)
			}
			answer := newScreen(t, d).ask(chip)
			if in := strings.Contains(answer, "Anfragen") || strings.Contains(answer, "Fehler"); refused(answer) || in != german {
				t.Errorf("%s: %s: %s", question, chip, answer)
			}
			offered[chip] = true
		}
	}
	if len(offered) < 6 {
		t.Errorf("it offers no more than %v", offered)
	}
}

// TestGermanAlerts: they are made, listed and, once a person has approved it, deleted.
func TestGermanAlerts(t *testing.T) {
	d, err := newDemo("") // its own: the others share one, and its alerts
	if err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, d)
	for _, step := range [][2]string{
		{"Zeig mir die Alarme", "Es gibt noch keinen Alarm"},
		{"Warne uns, sobald es mehr als 5 Serverfehler pro Minute gibt", "**Mehr als 5 Serverfehler pro Minute** ist gespeichert"},
		{"Welche Alarme gibt es?", "| Mehr als 5 Serverfehler pro Minute | "},
		{"Lösche den Alarm Nachtwache", "Keiner heißt so. Es gibt: Mehr als 5"},
		{"Lösche den Alarm Mehr als 5 Serverfehler pro Minute", "Dann lasse ich den Alarm"},
	} {
		if answer := s.ask(step[0]); !strings.Contains(answer, step[1]) {
			t.Errorf("%s: %s", step[0], answer)
		}
	}
	s.answers = map[string]string{"delete_alert": `{"approved":true}`}
	if answer := s.ask("Lösche den Alarm"); !strings.Contains(answer, "**Mehr als 5 Serverfehler pro Minute** ist gelöscht") {
		t.Error(answer)
	}
}

// TestGermanWhySoFew: each restriction of the page is named, with what there would be without it.
func TestGermanWhySoFew(t *testing.T) {
	s := newScreen(t, openSample(t))
	s.ask("only 404s")
	s.ask("show only the hours between 3 and 4")
	answer := s.ask("Warum gibt es so wenige Treffer?")
	without := factsOf(s, "SELECT count(*) FROM access_log WHERE status = 404")[0]
	for _, want := range []string{"ohne den Zeitraum 12.3. 03:00 bis 12.3. 03:59: **" + without + "**", "ohne die Filter: **"} {
		if !strings.Contains(answer, want) {
			t.Errorf("%q is missing in: %s", want, answer)
		}
	}
	if len(s.calls) != 3 {
		t.Errorf("the calls are %v", s.calls)
	}
}
