package pdf

import lib "github.com/ledongthuc/pdf"

// xobject is what a name in the XObject resources stands for, ready to show.
type xobject struct {
	image  bool
	hidden bool   // it is in a layer that is off
	data   []byte // content of a form
	matrix matrix
	own    *resources // nil where the form uses those around it
}

// Forms are remembered by the object they are, small ones only.
const (
	maxCachedForm  = 1 << 20
	maxCachedForms = 256
)

// showing a form costs as much as this many operations.
const formCost = 400

// object shows an XObject: the content of a form, the area of an image.
func (c *content) object(name string) {
	err := guard(func() error {
		x, err := c.page.doc.xobjectIn(c.res, name)
		switch {
		case err != nil:
			return err
		case x == nil, x.hidden:
		case x.image:
			c.page.images += c.state.ctm.area()
		default:
			c.form(x, c.state.ctm)
		}
		return nil
	})
	c.note(err)
}

// xobjectIn returns the XObject that resources call by the given name, nil if
// it shows nothing.
func (d *document) xobjectIn(r *resources, name string) (*xobject, error) {
	key := r.keys("XObject")[name]
	if x, ok := d.forms[key]; ok {
		return x, nil
	}
	v := r.dict.Key("XObject").Key(name)
	if v.Key("Subtype").Name() == "Image" {
		return &xobject{image: true}, nil
	}
	if v.Key("Subtype").Name() != "Form" {
		return nil, nil
	}
	x, err := d.loadForm(v)
	if err == nil && len(x.data) <= maxCachedForm && len(d.forms) < maxCachedForms {
		d.forms[key] = x
	}
	return x, err
}

// loadForm reads a form XObject or an appearance stream.
func (d *document) loadForm(v lib.Value) (*xobject, error) {
	d.charge(formCost)
	data, err := d.stream(v, d.limits.Stream)
	if err != nil {
		return nil, err
	}
	x := &xobject{data: data, matrix: readMatrix(v.Key("Matrix"))}
	if group := v.Key("OC"); !group.IsNull() {
		x.hidden = d.off.hide(entryKeys(v)["OC"], group)
	}
	if r := v.Key("Resources"); r.Kind() == lib.Dict {
		x.own = newResources(r)
	}
	return x, nil
}

// form interprets a form in a space of its own inside ctm.
func (c *content) form(x *xobject, ctm matrix) {
	d := c.page.doc
	if c.formDepth >= d.limits.FormDepth {
		c.page.deep = true
		return
	}
	d.charge(16)
	inner := content{page: c.page, res: c.res, lexer: lexer{src: x.data}, state: c.state, formDepth: c.formDepth + 1}
	inner.state.ctm = x.matrix.times(ctm)
	if x.own != nil {
		inner.res = x.own
	}
	inner.run()
}

// maxAnnotations bounds the annotations read of one page.
const maxAnnotations = 10_000

// Annotation flags (PDF 32000-1, 12.5.3).
const (
	flagHidden = 1 << 1
	flagNoView = 1 << 5
)

// annotations shows the appearance of a page's annotations: form fields, stamps
// and free text have no other place in the file where their text is.
func (c *content) annotations(list lib.Value) {
	for i := range min(list.Len(), maxAnnotations) {
		c.page.doc.charge(8)
		err := guard(func() error { return c.annotation(list.Index(i)) })
		c.note(err)
	}
}

func (c *content) annotation(v lib.Value) error {
	if v.Key("F").Int64()&(flagHidden|flagNoView) != 0 || v.Key("Subtype").Name() == "Popup" {
		return nil
	}
	look := v.Key("AP").Key("N")
	if look.Kind() == lib.Dict {
		look = look.Key(v.Key("AS").Name())
	}
	c.page.remark(v, look.Kind() == lib.Stream)
	if look.Kind() != lib.Stream {
		if v.Key("Subtype").Name() == "Widget" {
			c.page.field(v)
		}
		return nil
	}
	x, err := c.page.doc.loadForm(look)
	if err != nil {
		return err
	}
	c.page.flow.finish()
	c.form(x, fit(readBox(look.Key("BBox")), x.matrix, readBox(v.Key("Rect"))))
	return nil
}

// fit returns the matrix that takes the appearance box, after its own matrix,
// to the annotation's rectangle (PDF 32000-1, 12.5.5, algorithm 8.1).
func fit(appearance box, own matrix, rect box) matrix {
	seen := own.bounds(appearance)
	m := identity()
	if w := seen.x1 - seen.x0; w > 0 {
		m[0] = (rect.x1 - rect.x0) / w
	}
	if h := seen.y1 - seen.y0; h > 0 {
		m[3] = (rect.y1 - rect.y0) / h
	}
	m[4], m[5] = rect.x0-seen.x0*m[0], rect.y0-seen.y0*m[3]
	return m
}
