package parse

import (
	"slices"
	"strings"

	"inlay/parse/zipfile"
)

// Media types of the zip containers that are documents.
const (
	TypeDOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	TypePPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	TypeXLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	TypeXLSB = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
	TypeODT  = "application/vnd.oasis.opendocument.text"
	TypeODS  = "application/vnd.oasis.opendocument.spreadsheet"
	TypeODP  = "application/vnd.oasis.opendocument.presentation"
	TypeEPUB = "application/epub+zip"

	typeIWork = "application/vnd.apple.iwork"
)

// zipType looks into a zip for the format it carries.
func zipType(data []byte) (mediaType string, damaged bool) {
	a, err := zipfile.Open(data, Limits{ZipEntries: len(data)}.Zip())
	if err != nil {
		return "application/zip", true
	}
	if t := declaredType(a); t != "" {
		return t, false
	}
	switch {
	case a.Has("word/document.xml"):
		return TypeDOCX, false
	case a.Has("ppt/presentation.xml"):
		return TypePPTX, false
	case a.Has("xl/workbook.xml"):
		return TypeXLSX, false
	case a.Has("xl/workbook.bin"):
		return TypeXLSB, false
	case a.Has("Index/Document.iwa"), a.Has("Index.zip"), a.Has("index.apxl"), a.Has("index.xml.gz"):
		return typeIWork, false
	case a.Has("META-INF/container.xml"):
		return TypeEPUB, false
	}
	return contentTypes(a), false
}

// declaredType reads the "mimetype" entry of OpenDocument and EPUB.
func declaredType(a *zipfile.Archive) string {
	data, err := a.Read("mimetype")
	if err != nil {
		return ""
	}
	declared := strings.TrimSuffix(strings.TrimSpace(string(data)), "-template")
	if slices.Contains([]string{TypeODT, TypeODS, TypeODP, TypeEPUB}, declared) {
		return declared
	}
	return ""
}

// contentTypes finds the main part of an Office file that has it in an unusual place.
func contentTypes(a *zipfile.Archive) string {
	data, err := a.Read("[Content_Types].xml")
	if err != nil {
		return "application/zip"
	}
	text := string(data)
	for _, known := range [][2]string{
		{"wordprocessingml.document.main", TypeDOCX},
		{"wordprocessingml.template.main", TypeDOCX},
		{"presentationml.presentation.main", TypePPTX},
		{"presentationml.slideshow.main", TypePPTX},
		{"spreadsheetml.sheet.main", TypeXLSX},
		{"spreadsheetml.template.main", TypeXLSX},
	} {
		if strings.Contains(text, known[0]) {
			return known[1]
		}
	}
	return "application/zip"
}
