package pdf

import (
	"context"

	"inlay/parse"
)

// readBoth reads a document with the own text layer and lets the second engine
// read what came out doubtful.
func (p Parser) readBoth(ctx context.Context, data []byte, limits parse.Limits, to listener) ([]pageText, error) {
	pages, encrypted, err := readPagesOf(ctx, data, limits, to)
	if p.Second == nil || ends(err) && ctx.Err() != nil || isBudget(err) {
		return pages, err
	}
	if err != nil {
		return p.readInstead(ctx, data, limits, to, err)
	}
	doubts := doubts(pages, encrypted)
	if len(doubts) == 0 {
		return pages, nil
	}
	merged := append([]pageText(nil), pages...)
	replace := false
	want := func(count int) []int {
		if replace = count != len(pages); !replace {
			return doubts
		}
		merged = make([]pageText, count)
		return upTo(count)
	}
	err = p.Second.readSecond(ctx, data, limits, want, func(i int, page pageText) {
		if replace || better(merged[i], page) {
			merged[i] = page
			to.page(i, len(merged), page)
		}
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil && (!replace || moreText(merged, pages)):
		return merged, nil
	case !replace:
		return merged, nil // the pages it did read are the better ones
	}
	return pages, nil
}

// readInstead reads a whole document with the second engine after the first
// has failed with cause.
func (p Parser) readInstead(ctx context.Context, data []byte, limits parse.Limits, to listener, cause error) ([]pageText, error) {
	var pages []pageText
	count := 0
	err := p.Second.readSecond(ctx, data, limits, func(n int) []int {
		count = n
		return upTo(n)
	}, func(i int, page pageText) {
		pages = append(pages, page)
		to.page(i, count, page)
		to.progress(len(pages), count)
	})
	switch {
	case err == nil && len(pages) > 0:
		return pages, nil
	case ends(err), isPassword(err):
		return nil, err
	}
	return nil, cause
}

// doubts lists the pages that the second engine should read: the doubtful ones,
// and in an encrypted document with hardly any text every page without some,
// since a cipher undone wrongly leaves content that shows nothing.
func doubts(pages []pageText, encrypted bool) []int {
	empty := encrypted && sparse(pages)
	var out []int
	for i, p := range pages {
		if doubtful(p) || empty && measure(p.text).runes < minPerPage {
			out = append(out, i)
		}
	}
	return out
}

// moreText reports whether a has at least nearly as many letters as b.
func moreText(a, b []pageText) bool {
	letters := func(pages []pageText) (n int) {
		for _, p := range pages {
			n += measure(p.text).letters
		}
		return n
	}
	return over(letters(a), letters(b), expectedLetters)
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
