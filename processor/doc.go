// Package processor is the chain that a conversation walks around a model's
// call: four families of small parts in a declared order, each of which may
// change what passes, stop it, or let it pass.
//
//	message modifiers    before the call: []Message in, []Message out
//	tool modifiers       injection ([]Tool), parameter (Call), validation (Candidate)
//	model steps          around the call: before (Request), after (Response), after in reverse order
//	response modifiers   before the agent acts on an answer (Response)
//
// All of them are a [Processor] of one element type, so that one put into the
// wrong family does not compile, and run through one [Chain]. A chain fails
// closed: a processor that returns an error or panics stops the turn.
// [Load] builds chains from YAML and a [Registry]; [Agent] is the loop around
// them. The built-in processors are in processor/builtin.
package processor
