package pdf

import (
	"context"
	"errors"
	"slices"

	"inlay/fault"
	"inlay/parse"
)

// readBoth reads a document with the own text layer and lets the second engine
// read what came out doubtful.
func (p Parser) readBoth(ctx context.Context, data []byte, limits parse.Limits, to listener) ([]pageText, error) {
	pages, encrypted, err := readPagesOf(ctx, data, limits, to)
	if p.Second == nil || ends(err) && ctx.Err() != nil || isBudget(err) && !slow(err, pages) {
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
			page = page.withRemarks(merged[i].remarks)
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

// slow reports whether an engine ran out of time before it had read any text.
func slow(err error, pages []pageText) bool {
	limit, ok := errors.AsType[*limitError](err)
	return ok && limit.code == fault.Timeout && !slices.ContainsFunc(pages, func(p pageText) bool { return p.text != "" })
}

// readInstead reads a whole document with the second engine after the first
// has failed with cause. Where a limit ends it, the pages after are marked as
// failed.
func (p Parser) readInstead(ctx context.Context, data []byte, limits parse.Limits, to listener, cause error) ([]pageText, error) {
	var pages []pageText
	read := 0
	err := p.Second.readSecond(ctx, data, limits, func(n int) []int {
		pages = make([]pageText, n)
		for i := range pages {
			pages[i] = pageText{library: SecondLibrary, status: parse.Failed}
		}
		return upTo(n)
	}, func(i int, page pageText) {
		pages[i] = page
		read++
		to.page(i, len(pages), page)
		to.progress(read, len(pages))
	})
	switch {
	case err == nil && len(pages) > 0, isBudget(err):
		return pages, err
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
