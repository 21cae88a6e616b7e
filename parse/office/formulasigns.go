package office

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// mathText writes the signs of a formula as LaTeX: letters of the mathematical
// alphabets as plain ones, Greek and operators as commands.
func mathText(s string) string {
	var b strings.Builder
	for _, r := range s {
		command := mathSign(r)
		switch {
		case r >= 0x1D400 && r <= 0x1D7FF:
			b.WriteString(mathText(norm.NFKC.String(string(r))))
		case command != "":
			b.WriteString(`\` + command + " ")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mathSigns are signs, each before its command; blanks part them.
const mathSigns = " α alpha β beta γ gamma δ delta ε epsilon ϵ epsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa " +
	"λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi " +
	"ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Φ Phi Ψ Psi Ω Omega × times ÷ div ± pm " +
	"∓ mp · cdot ⋅ cdot ∙ cdot ∗ ast ∘ circ ∞ infty ∂ partial ∇ nabla ∆ Delta ℏ hbar ℓ ell … ldots " +
	"⋯ cdots ≤ leq ≥ geq ≠ neq ≈ approx ≡ equiv ∼ sim ∝ propto ≪ ll ≫ gg → rightarrow ← leftarrow " +
	"↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ∈ in ∉ notin ⊂ subset ⊃ supset " +
	"⊆ subseteq ⊇ supseteq ∅ emptyset ∪ cup ∩ cap ∧ wedge ∨ vee ¬ neg ∀ forall ∃ exists ⊕ oplus ⊗ otimes " +
	"∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ∯ oiint ∰ oiiint ⋃ bigcup ⋂ bigcap ⋁ bigvee " +
	"⋀ bigwedge ⨁ bigoplus ⨂ bigotimes "

// mathSign finds the command of a sign, or "".
func mathSign(r rune) string {
	if r < 0x80 {
		return ""
	}
	_, rest, _ := strings.Cut(mathSigns, " "+string(r)+" ")
	name, _, _ := strings.Cut(rest, " ")
	return name
}

// accents are commands by combining sign.
func accents() map[string]string {
	return map[string]string{
		"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "overline", "\u0307": "dot", "\u0308": "ddot",
		"\u20D7": "vec", "\u030C": "check", "\u0306": "breve", "\u0301": "acute", "\u0300": "grave",
	}
}

// functionName writes a function's name as the command it has, if it has one.
func functionName(s string) string {
	name := strings.TrimSpace(s)
	switch name {
	case "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "log", "ln", "lg",
		"exp", "lim", "limsup", "liminf", "max", "min", "sup", "inf", "arg", "det", "dim", "gcd", "ker", "deg", "hom", "Pr":
		return `\` + name
	}
	if len(name) > 1 && strings.IndexFunc(name, func(r rune) bool { return r > 0x7f || !letter(byte(r)) }) < 0 {
		return `\operatorname{` + name + "}"
	}
	return s
}
