package lexis

import "slices"

// Unit is a part of a query that text can answer to or not: a word, a part of
// an identifier, a word that an abbreviation is written for, or one character of
// a script without spaces. Any one of its terms is evidence of it.
type Unit struct {
	Text  string
	Share float64  // of running text of its language or script, see [Lexicon.Share]
	Terms []uint32 // numbered as by [Analyzer.Append], the first is the unit's own
}

// Units returns the units of a text in order.
func (a *Analyzer) Units(text string) []Unit {
	var units []Unit
	for i := 0; i < len(text); {
		end, kind := next(text, i)
		switch kind {
		case word:
			units = a.words(units, text[i:end])
		case unspaced:
			units = a.characters(units, text[i:end])
		default:
		}
		i = end
	}
	return units
}

// words appends the units of one written word: of an identifier its parts, each
// of which the whole is evidence of too; of an abbreviation what it is written for.
func (a *Analyzer) words(units []Unit, written string) []Unit {
	ids := slices.Clone(a.word(written))
	if len(ids) == 0 {
		return units
	}
	own, whole := ids, ids[:1]
	if len(ids) > 1 {
		own = ids[1:]
	}
	for _, id := range own {
		spelled := abbreviated(a.Lang, a.Terms[id])
		if len(spelled) == 0 {
			units = append(units, a.unit(a.Terms[id], slices.Concat([]uint32{id}, whole)))
		}
		for _, s := range spelled {
			units = append(units, a.unit(a.fold(s), slices.Concat([]uint32{a.id(a.fold(s)), id}, whole)))
		}
	}
	return units
}

// unit is a unit of the terms without repetitions.
func (a *Analyzer) unit(text string, terms []uint32) Unit {
	u := Unit{Text: text, Share: a.lex.Share(a.Lang, text)}
	for _, t := range terms {
		if !slices.Contains(u.Terms, t) {
			u.Terms = append(u.Terms, t)
		}
	}
	return u
}

// characters appends the characters of a run, each with the pairs it is part of.
func (a *Analyzer) characters(units []Unit, run string) []Unit {
	pairs := a.pairs(nil, run)
	for i, c := range Characters(run) {
		units = append(units, a.unit(c, pairs[max(0, i-1):min(i+1, len(pairs))]))
	}
	return units
}

// abbreviated returns the words that an abbreviation of business English is
// written for, nil for other terms.
func abbreviated(lang Language, term string) []string {
	if lang != English {
		return nil
	}
	switch term {
	case "fy":
		return []string{"fiscal"}
	case "q1", "1q":
		return []string{"first", "quarter"}
	case "q2", "2q":
		return []string{"second", "quarter"}
	case "q3", "3q":
		return []string{"third", "quarter"}
	case "q4", "4q":
		return []string{"fourth", "quarter"}
	case "usd":
		return []string{"dollars"}
	case "capex":
		return []string{"capital", "expenditures"}
	case "cogs":
		return []string{"cost", "sales"}
	case "ppe", "pp&e":
		return []string{"property", "plant", "equipment"}
	case "eps":
		return []string{"earnings", "share"}
	}
	return nil
}
