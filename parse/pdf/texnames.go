package pdf

import "strings"

// zeroWidth stands for glyphs that have nothing to read: the middle pieces of
// tall brackets.
const zeroWidth = "\u200B"

// texName returns what a glyph of TeX's mathematical fonts stands for whose name
// is not on Adobe's list: cmsy and cmex name their signs after what they are for
// and, with a suffix, how large they are.
func texName(n string) string {
	for _, suffix := range []string{"", "text", "display", "bigg", "Bigg", "big", "Big", "tp", "left"} {
		if base, ok := strings.CutSuffix(n, suffix); ok {
			if s := texSign(base); s != "" {
				return s
			}
		}
	}
	for _, suffix := range []string{"ex", "bt", "mid", "right", "vertex"} {
		if base, ok := strings.CutSuffix(n, suffix); ok && (texBracket(strings.TrimSuffix(base, "left")) != "" || texBracket(base) != "") {
			return zeroWidth // the top piece is the bracket
		}
	}
	return ""
}

// texSign returns the sign that a name without its suffix of size stands for.
func texSign(n string) string {
	if s := texBracket(n); s != "" {
		return s
	}
	return paired(texSigns, n)
}

// texBracket returns a bracket.
func texBracket(n string) string { return paired(texBrackets, n) }

// paired finds what follows a name in a list of names and signs, all separated by
// blanks.
func paired(list, name string) string {
	if name == "" || letter(name[0]) == "" || strings.Contains(name, " ") {
		return "" // no name, but perhaps a sign
	}
	_, rest, _ := strings.Cut(list, " "+name+" ")
	sign, _, _ := strings.Cut(rest, " ")
	return sign
}

// texBrackets are brackets, each after its name.
const texBrackets = " parenleft ( parenright ) bracketleft [ bracketright ] braceleft { braceright } angbracketleft ⟨ " +
	"angbracketright ⟩ floorleft ⌊ floorright ⌋ ceilingleft ⌈ ceilingright ⌉ radical √ "

// texSigns are signs of operations, relations and others, each after its name.
const texSigns = " summation ∑ product ∏ coproduct ∐ integral ∫ contintegral ∮ unionmulti ⊎ unionsq ⊔ intersectionsq ⊓ union ∪ " +
	"intersection ∩ logicaland ∧ logicalor ∨ circleplus ⊕ circleminus ⊖ circlemultiply ⊗ circledivide ⊘ circledot ⊙ " +
	"openbullet ∘ diamondmath ⋄ minusplus ∓ wreathproduct ≀ vextendsingle | bar | vextenddouble ‖ bardbl ‖ slash / " +
	"backslash \\ hatwide ˆ hatwider ˆ hatwidest ˆ tildewide ˜ tildewider ˜ tildewidest ˜ negationslash \u0338 " +
	"mapsto ↦ equivasymptotic ≍ lessmuch ≪ greatermuch ≫ precedes ≺ follows ≻ precedesequal ⪯ followsequal ⪰ " +
	"similarequal ≃ turnstileleft ⊢ turnstileright ⊣ latticetop ⊤ owner ∋ triangleinv ▽ nabla ∇ subsetsqequal ⊑ " +
	"supersetsqequal ⊒ lessorequalslant ⩽ greaterorequalslant ⩾ arrownortheast ↗ arrowsoutheast ↘ arrownorthwest ↖ " +
	"arrowsouthwest ↙ lscript ℓ square □ squaresolid ■ dotlessj ȷ epsilon1 ϵ "
