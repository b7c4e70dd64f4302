package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
)

// Beyond these a type is listed.
const (
	manyMethods = 40
	manyFields  = 20
)

// goType is a type of the product and how much it knows.
type goType struct {
	name            string // with its package's folder
	methods, fields int
}

// known are the types of the product.
type known struct {
	types  map[string]*goType
	errors int // types with a method Error
}

// large returns the types with many methods or fields, those with the most methods first.
func (k *known) large() (all []goType) {
	for _, t := range k.types {
		if t.methods > manyMethods || t.fields > manyFields {
			all = append(all, *t)
		}
	}
	slices.SortFunc(all, func(a, b goType) int {
		return cmp.Or(b.methods-a.methods, b.fields-a.fields, strings.Compare(a.name, b.name))
	})
	return all
}

func typesOf(files []string) (*known, error) {
	k := &known{types: map[string]*goType{}}
	for _, name := range files {
		if kindOf(name) != "lines of Go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("reading the types: %w", err)
		}
		for _, decl := range file.Decls {
			k.take(path.Dir(name), decl)
		}
	}
	return k, nil
}

func (k *known) take(dir string, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return
		}
		k.named(dir, receiver(d.Recv.List[0].Type)).methods++
		if d.Name.Name == "Error" {
			k.errors++
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if t, ok := spec.(*ast.TypeSpec); ok {
				if s, ok := t.Type.(*ast.StructType); ok {
					k.named(dir, t.Name.Name).fields = s.Fields.NumFields()
				}
			}
		}
	}
}

func (k *known) named(dir, name string) *goType {
	key := dir + "." + name
	if k.types[key] == nil {
		k.types[key] = &goType{name: key}
	}
	return k.types[key]
}

// receiver returns the name of a method's type.
func receiver(of ast.Expr) string {
	switch t := of.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
