package library

import (
	"context"
	"strings"

	"inlay/fault"
	"inlay/parse"
)

// ReadFile reads the bytes that the document at a path of a library was made of, from the folder
// of the library that it is in. It is fault.FileNotFound where the library has no such path, where
// no folder has it, as with uploads, and where the file has changed since: then the text of the
// library is another one's.
func ReadFile(ctx context.Context, index Index, owner, library, path string, limits parse.Limits) (parse.File, error) {
	settings, err := index.Settings(ctx, owner, library)
	if err != nil {
		return parse.File{}, err
	}
	doc, err := index.Open(ctx, owner, library, path)
	if err != nil {
		return parse.File{}, err
	}
	from, ok := foundAt(settings.Folders, path)
	if !ok {
		return parse.File{}, &fault.Error{Code: fault.FileNotFound, Subject: path, Reason: "the library has its text alone", Next: "read the text"}
	}
	file, err := from.load(ctx, limits)
	if err != nil { // without its cause, which has the path on the disk
		return parse.File{}, &fault.Error{Code: fault.FileNotFound, Subject: path, Reason: "it is no longer where the library read it", Next: "put it back, or bring the library up to date: inlay library sync " + library}
	}
	if parse.FileID(file.Data) != doc.FileID {
		return parse.File{}, &fault.Error{Code: fault.FileNotFound, Subject: path, Reason: "it has changed since the library read it", Next: "bring the library up to date: inlay library sync " + library}
	}
	return file, nil
}

// foundAt is where a path of a library is on the disk: in the folder with the longest label that it begins with.
func foundAt(folders []Folder, path string) (found, bool) {
	best, ok := found{path: path}, false
	for _, f := range folders {
		inside, in := strings.CutPrefix(path, f.Label+"/")
		if f.File && path != f.Label || !f.File && !in || ok && len(f.Label) <= len(best.folder.Label) {
			continue
		}
		best.folder, best.inside, ok = f, inside, true
	}
	return best, ok
}
