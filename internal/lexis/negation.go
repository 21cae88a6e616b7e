package lexis

// Negates reports whether a term turns what is said around it into its
// opposite or into an exception: of eight languages, however the text is
// written in another. ("don't" ends in the term "t".)
func Negates(term string) bool {
	switch term {
	case "not", "no", "never", "without", "except", "unless", "neither", "nor", "cannot", "t",
		"nicht", "kein", "nie", "ohn", "ausser", "pas", "ne", "sans", "jam", "aucun",
		"sin", "nunc", "jamas", "non", "senz", "mai", "nao", "sem", "niet", "geen", "zonder", "inte":
		return true
	}
	return false
}
