package parse

import (
	"path"
	"slices"
	"strings"

	"inlay/internal/mediatype"
	"inlay/parse/zipfile"
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
		return mediatype.DOCX, false
	case a.Has("ppt/presentation.xml"):
		return mediatype.PPTX, false
	case a.Has("xl/workbook.xml"):
		return mediatype.XLSX, false
	case a.Has("xl/workbook.bin"):
		return mediatype.XLSB, false
	case a.Has("visio/document.xml"):
		return mediatype.VSDX, false
	case slices.ContainsFunc(a.Names(), ofIWork):
		return mediatype.IWork, false
	case a.Has("META-INF/container.xml"):
		return mediatype.EPUB, false
	}
	return contentTypes(a), false
}

// ofIWork reports whether a zip's entry is one of Pages, Numbers or Keynote, whose
// packages may be in a folder.
func ofIWork(entry string) bool {
	switch path.Base(entry) {
	case "Index.zip", "index.apxl", "index.xml.gz", "index.apxl.gz", "buildVersionHistory.plist":
		return true
	}
	return strings.HasSuffix(entry, ".iwa")
}

// declaredType reads the "mimetype" entry of OpenDocument and EPUB.
func declaredType(a *zipfile.Archive) string {
	data, err := a.Read("mimetype")
	if err != nil {
		return ""
	}
	declared := strings.TrimSuffix(strings.TrimSpace(string(data)), "-template")
	if slices.Contains([]string{mediatype.ODT, mediatype.ODS, mediatype.ODP, mediatype.EPUB}, declared) {
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
		{"wordprocessingml.document.main", mediatype.DOCX},
		{"wordprocessingml.template.main", mediatype.DOCX},
		{"presentationml.presentation.main", mediatype.PPTX},
		{"presentationml.slideshow.main", mediatype.PPTX},
		{"spreadsheetml.sheet.main", mediatype.XLSX},
		{"spreadsheetml.template.main", mediatype.XLSX},
		{"ms-visio.", mediatype.VSDX},
	} {
		if strings.Contains(text, known[0]) {
			return known[1]
		}
	}
	return "application/vnd.openxmlformats-package"
}
