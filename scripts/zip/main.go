// Command zip packs a folder: zip ARCHIVE FOLDER.
package main

import (
	"archive/zip"
	"errors"
	"io/fs"
	"log"
	"os"
	"path"
)

func main() {
	if err := pack(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func pack(archive, folder string) error {
	f, err := os.Create(archive) //nolint:gosec // named by scripts/dist
	if err != nil {
		return err
	}
	w := zip.NewWriter(f)
	files := os.DirFS(folder)
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		out, err := w.Create(path.Join(folder, name))
		if err == nil {
			_, err = out.Write(data)
		}
		return err
	})
	return errors.Join(err, w.Close(), f.Close())
}
