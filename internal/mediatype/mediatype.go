// Package mediatype names the media types of documents.
package mediatype

// Media types of documents in zip containers.
const (
	DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	XLSB = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
	ODT  = "application/vnd.oasis.opendocument.text"
	ODS  = "application/vnd.oasis.opendocument.spreadsheet"
	ODP  = "application/vnd.oasis.opendocument.presentation"
	EPUB = "application/epub+zip"

	VSDX  = "application/vnd.visio"
	IWork = "application/vnd.apple.iwork"
)
