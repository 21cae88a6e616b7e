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
	if s := texOperator(n); s != "" {
		return s
	}
	return texRelation(n)
}

// texBracket returns a bracket.
func texBracket(n string) string {
	switch n {
	case "parenleft":
		return "("
	case "parenright":
		return ")"
	case "bracketleft":
		return "["
	case "bracketright":
		return "]"
	case "braceleft":
		return "{"
	case "braceright":
		return "}"
	case "angbracketleft":
		return "⟨"
	case "angbracketright":
		return "⟩"
	case "floorleft":
		return "⌊"
	case "floorright":
		return "⌋"
	case "ceilingleft":
		return "⌈"
	case "ceilingright":
		return "⌉"
	case "radical":
		return "√"
	}
	return ""
}

// texOperator returns a sign of an operation.
func texOperator(n string) string {
	switch n {
	case "summation":
		return "∑"
	case "product":
		return "∏"
	case "coproduct":
		return "∐"
	case "integral":
		return "∫"
	case "contintegral":
		return "∮"
	case "unionmulti":
		return "⊎"
	case "unionsq":
		return "⊔"
	case "intersectionsq":
		return "⊓"
	case "union":
		return "∪"
	case "intersection":
		return "∩"
	case "logicaland":
		return "∧"
	case "logicalor":
		return "∨"
	case "circleplus":
		return "⊕"
	case "circleminus":
		return "⊖"
	case "circlemultiply":
		return "⊗"
	case "circledivide":
		return "⊘"
	case "circledot":
		return "⊙"
	case "openbullet":
		return "∘"
	case "diamondmath":
		return "⋄"
	case "minusplus":
		return "∓"
	case "wreathproduct":
		return "≀"
	case "vextendsingle", "bar":
		return "|"
	case "vextenddouble", "bardbl":
		return "‖"
	case "slash":
		return "/"
	case "backslash":
		return `\`
	case "hatwide", "hatwider", "hatwidest":
		return "ˆ"
	case "tildewide", "tildewider", "tildewidest":
		return "˜"
	}
	return ""
}

// texRelation returns a sign between two terms, or another sign of cmsy.
func texRelation(n string) string {
	switch n {
	case "negationslash":
		return "\u0338"
	case "mapsto":
		return "↦"
	case "equivasymptotic":
		return "≍"
	case "lessmuch":
		return "≪"
	case "greatermuch":
		return "≫"
	case "precedes":
		return "≺"
	case "follows":
		return "≻"
	case "precedesequal":
		return "⪯"
	case "followsequal":
		return "⪰"
	case "similarequal":
		return "≃"
	case "turnstileleft":
		return "⊢"
	case "turnstileright":
		return "⊣"
	case "latticetop":
		return "⊤"
	case "owner":
		return "∋"
	case "triangleinv":
		return "▽"
	case "nabla":
		return "∇"
	case "subsetsqequal":
		return "⊑"
	case "supersetsqequal":
		return "⊒"
	case "lessorequalslant":
		return "⩽"
	case "greaterorequalslant":
		return "⩾"
	case "arrownortheast":
		return "↗"
	case "arrowsoutheast":
		return "↘"
	case "arrownorthwest":
		return "↖"
	case "arrowsouthwest":
		return "↙"
	case "lscript":
		return "ℓ"
	case "square":
		return "□"
	case "squaresolid":
		return "■"
	case "dotlessj":
		return "ȷ"
	case "epsilon1":
		return "ϵ"
	}
	return ""
}
