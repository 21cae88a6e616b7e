// Package responses is the wire format of OpenAI's Responses API: requests,
// items, responses and the events of a stream. It is the only place that decodes
// and encodes them; the service and the client of the API share it.
//
// Both sides translate from or to chat completions, the form in which the rest of
// inlay knows a conversation:
//
//	server: Request ─► Request.Completion ─► (model) ─► completion.Chunk ─► Answer ─► Event, Response
//	client: FromCompletion, FromChats ─► (server) ─► ReadEvent ─► Delta
//
// # Errors
//
// Errors name a field by its JSON name, for example input[2].content[0].file_url,
// and never repeat a value: it could be part of a document or a prompt.
package responses
