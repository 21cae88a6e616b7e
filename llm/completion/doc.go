// Package completion is the wire format of OpenAI's chat completions: messages
// and tools of requests, and completions, whole or in chunks, of answers. It is
// the only place that decodes them; servers and clients of the API share it.
//
// # What is not looked at
//
// A proxy must hand on what it does not know. [Message], [Tool] and [Chunk] keep
// the JSON they were decoded from and give it back byte for byte as long as
// nothing was changed. A change rewrites the fields it is about; every other
// field keeps its value and its place.
//
// # Errors
//
// Errors name a field, for example messages[2].content[0].file, and never repeat
// a value: it could be part of a document or a prompt.
package completion
