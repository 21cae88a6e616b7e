package plain

import (
	"inlay/parse"
)

// XML reads XML as the text it is, tags included: what a tag means is the
// reader's business.
func XML(limits parse.Limits) parse.Parser {
	return textParser{limits: limits, outline: paragraphs, info: parse.Info{
		Name: "xml", Version: "1", Library: "inlay/plain",
		MediaTypes: []string{"application/xml", "text/xml", "image/svg+xml"},
		Extensions: []string{".xml", ".xsd", ".xsl", ".xslt", ".rss", ".atom", ".svg", ".plist", ".kml", ".gpx", ".nxml", ".wsdl"},
	}}
}
