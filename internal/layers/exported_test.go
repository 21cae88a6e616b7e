package layers

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// TestExported loads the exported API of every public package and checks that
// another module can name every type in it: a field, parameter, result,
// embedded type, constraint or alias of a type from an internal package cannot be
// filled in from outside.
func TestExported(t *testing.T) {
	pkgs := load(t, "../..", "./...")
	require.Greater(t, len(pkgs), 20)
	require.Contains(t, paths(pkgs), pkgs[0].Module.Path, "the root package is one of them")
	for _, pkg := range pkgs {
		for _, wrong := range unnameable(pkg) {
			t.Error(wrong)
		}
	}
}

// TestExportedFinds holds the check itself to a package that does everything
// wrong.
func TestExportedFinds(t *testing.T) {
	pkgs := load(t, "testdata/exports", "./...")
	require.Len(t, pkgs, 1)
	require.Equal(t, []string{
		"exports/public.Alias: exports/internal/hidden.Type",
		"exports/public.Bound: exports/internal/hidden.Face",
		"exports/public.Convert: exports/internal/hidden.Type",
		"exports/public.Face.Take: exports/internal/hidden.Type",
		"exports/public.Func: exports/internal/hidden.Type",
		"exports/public.Limit: exports/internal/hidden.Number",
		"exports/public.Struct.Embedded: exports/internal/hidden.Embedded",
		"exports/public.Struct.Field: exports/internal/hidden.Type",
		"exports/public.Struct.Method: exports/internal/hidden.Type",
		"exports/public.Struct.Nested.Inner: exports/internal/hidden.Type",
		"exports/public.Struct.Promoted: exports/internal/hidden.Type",
		"exports/public.Var: exports/internal/hidden.Type",
	}, unnameable(pkgs[0]))
}

// load returns the types of the packages that other modules may import.
func load(t *testing.T, dir string, patterns ...string) (out []*packages.Package) {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedExportFile | packages.NeedModule,
		Dir:  dir,
	}, patterns...)
	require.NoError(t, err)
	for _, pkg := range pkgs {
		require.Empty(t, pkg.Errors)
		if !internal(pkg.PkgPath) && pkg.Name != "main" {
			out = append(out, pkg)
		}
	}
	return out
}

func paths(pkgs []*packages.Package) (out []string) {
	for _, pkg := range pkgs {
		out = append(out, pkg.PkgPath)
	}
	return out
}

func internal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// unnameable lists, sorted, where the exported API of pkg mentions a type of an
// internal package.
func unnameable(pkg *packages.Package) []string {
	w := walker{module: pkg.Module.Path, seen: map[types.Type]bool{}}
	scope := pkg.Types.Scope()
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() {
			w.object(pkg.PkgPath+"."+name, obj)
		}
	}
	slices.Sort(w.found)
	return slices.Compact(w.found)
}

type walker struct {
	module string              // its path
	seen   map[types.Type]bool // named types whose members were walked
	found  []string
}

func (w *walker) object(at string, obj types.Object) {
	name, declares := obj.(*types.TypeName)
	if !declares {
		w.mention(at, obj.Type())
		return
	}
	switch typ := obj.Type().(type) {
	case *types.Alias:
		w.mention(at, typ.Rhs())
	case *types.Named:
		w.params(at, typ.TypeParams())
		w.members(at, typ)
	default:
		w.mention(at, name.Type())
	}
}

// members walks what a user of a named type sees: its exported fields and
// methods, and what it is made of.
func (w *walker) members(at string, typ *types.Named) {
	if w.seen[typ] {
		return
	}
	w.seen[typ] = true
	for method := range typ.Methods() {
		if method.Exported() {
			w.mention(at+"."+method.Name(), method.Signature())
		}
	}
	w.mention(at, typ.Underlying())
}

// mention checks a type where it is written down.
func (w *walker) mention(at string, typ types.Type) {
	switch typ := typ.(type) {
	case *types.Named:
		w.named(at, typ)
	case *types.Alias:
		w.alias(at, typ)
	case *types.Struct:
		w.fields(at, typ)
	case *types.Interface:
		w.iface(at, typ)
	case *types.Signature:
		w.params(at, typ.TypeParams())
		w.mention(at, typ.Params())
		w.mention(at, typ.Results())
	case *types.Tuple:
		for v := range typ.Variables() {
			w.mention(at, v.Type())
		}
	case *types.Map:
		w.mention(at, typ.Key())
		w.mention(at, typ.Elem())
	case *types.Union:
		for term := range typ.Terms() {
			w.mention(at, term.Type())
		}
	case interface{ Elem() types.Type }: // arrays, channels, pointers, slices
		w.mention(at, typ.Elem())
	}
}

// named checks a named type: one of an internal package cannot be named; an
// unexported one of ours is seen through what it exports.
func (w *walker) named(at string, typ *types.Named) {
	w.list(at, typ.TypeArgs())
	switch {
	case !w.ours(typ.Obj()):
	case internal(typ.Obj().Pkg().Path()):
		w.find(at, typ.Obj())
	case !typ.Obj().Exported():
		w.members(at, typ)
	}
}

func (w *walker) alias(at string, typ *types.Alias) {
	w.list(at, typ.TypeArgs())
	switch {
	case !w.ours(typ.Obj()):
	case internal(typ.Obj().Pkg().Path()):
		w.find(at, typ.Obj())
	case !typ.Obj().Exported():
		w.mention(at, typ.Rhs())
	}
}

// ours reports whether the module declares a type.
func (w *walker) ours(obj *types.TypeName) bool {
	return obj.Pkg() != nil && strings.HasPrefix(obj.Pkg().Path()+"/", w.module+"/")
}

func (w *walker) fields(at string, typ *types.Struct) {
	for field := range typ.Fields() {
		switch {
		case field.Exported():
			w.mention(at+"."+field.Name(), field.Type())
		case field.Embedded(): // its exported members are promoted
			w.mention(at, field.Type())
		}
	}
}

func (w *walker) iface(at string, typ *types.Interface) {
	for method := range typ.ExplicitMethods() {
		if method.Exported() {
			w.mention(at+"."+method.Name(), method.Signature())
		}
	}
	for embedded := range typ.EmbeddedTypes() {
		w.mention(at, embedded)
	}
}

func (w *walker) params(at string, list *types.TypeParamList) {
	for param := range list.TypeParams() {
		w.mention(at, param.Constraint())
	}
}

func (w *walker) list(at string, list *types.TypeList) {
	for typ := range list.Types() {
		w.mention(at, typ)
	}
}

func (w *walker) find(at string, obj *types.TypeName) {
	w.found = append(w.found, fmt.Sprintf("%s: %s.%s", at, obj.Pkg().Path(), obj.Name()))
}
