package route

import "inlay/internal/lazy"

// The words of the heuristic by what they say: lists of the files in words. They
// are held against the words of a clause (ask.words), lower-case and without
// marks on letters, where what stood in quotes is "_", so that quotes hold no
// orders.

var (
	courtesy = pattern(`^(?:<courtesies>)*`)

	request = pattern(`(?:<requests>)`)

	// Moods.
	question = phrases("question")
	marked   = phrases("marked")
	// statement begins like a question: "when I click save, nothing happens".
	statement = phrases("statement")
	howTo     = phrases("howTo")

	// Orders.
	changes  = phrases("changes")
	wishes   = phrases("wishes")
	personal = phrases("personal")
	checks   = phrases("checks")
	coded    = phrases("coded")
	needs    = phrases("needs")
	authors  = phrases("authors")
	finds    = phrases("finds")
	tells    = phrases("tells")

	opens = phrases("opens")

	views = phrases("views")

	itself   = phrases("itself")
	readsNot = lazy.Regexp(`(?i)\b(?:not|n['’]?t|never|without|avoid|skip|ignore|forget|forbid you to|nicht|ohne)\b(?: \w+){0,2}? ?(?:read|open|look|view|show|touch|use)|\b(?:skip|ignore|forget|instead of|rather than|lies|öffne)\b`)

	// Of what.
	ourOwn   = phrases("ourOwn")
	we       = phrases("we")       // may speak of the workspace
	one      = phrases("one")      // we, or anybody
	deeds    = phrases("deeds")    // and does where software does something
	notCode  = phrases("not code") // what is ours, and is not code
	certain  = worded(`\b(?:<determiners>)(?: [\w'-]+){0,3}? (?:<things>)\b|\b(?:<people>)\b`)
	definite = phrases("definite")
	linking  = worded(` (?:<links>) `)
	makings  = phrases("makings")
	general  = phrases("general")
	inKind   = phrases("inKind")
	prosaic  = phrases("prosaic")
	broken   = phrases("broken")
	causes   = phrases("causes")
	// reasons are orders to find a cause, whatever it is of.
	reasons = phrases("reasons")
	whichOf = phrases("whichOf")
	// partOf asks for code wherever in an ask it is: "which part of the code".
	partOf = phrases("partOf")
	// somewhere is a fault whose place is not known.
	somewhere = phrases("somewhere")
	// whenDone asks how something of the software is done when something happens.
	whenDone = phrases("whenDone")
	passive  = phrases("passive")
	theCode  = phrases("theCode")
	already  = phrases("already")
	back     = phrases("back")

	// opinions are asked for of people, etiquette is what is asked of files in
	// general, made is what is thought up rather than found, sweeping are changes
	// to all of the code, textbook is knowledge, anything an order without a place.
	opinions     = phrases("opinions")
	etiquette    = phrases("etiquette")
	made         = phrases("made")
	sweeping     = phrases("sweeping")
	material     = phrases("material")
	yet          = phrases("yet")
	onShow       = phrases("shown") // what people see of software, which only orders are about
	textbook     = phrases("textbook")
	letters      = phrases("letters")
	settled      = phrases("settled")
	anything     = phrases("anything")
	outputOf     = phrases("output of")
	conversation = phrases("conversation")
	imagined     = phrases("imagined")
	versions     = phrases("versions")
	pointing     = phrases("pointing")
	inCode       = phrases("inCode")
	seeksVerb    = phrases("seeks verb")
	runChecks    = phrases("run checks")

	how = phrases("how")

	// firmly asks for code whatever it says of it; participles are what only
	// software does; everyday are things of software and of life; mine is said by
	// somebody of themselves; explains brings along the text of an error.
	firmly      = phrases("firmly")
	participles = phrases("software participles")
	everyday    = worded(`\b(?:<everyday things>|<people>)$`)
	mine        = phrases("mine")
	explains    = phrases("explains")
	// abroad is software that others made, as what an ask is about.
	abroad = worded(`\b(?:does|do|did|is|are|in|into|on|of|by|at|from|for|with|to|via|speichert|hat|der|des|von|bei|fur|aus|de|sur|dans|chez|avec|par|est|sont)(?: (?:an?|the|my|our|der|die|das|le|la|l'|mon|ma|meine?m?))?(?: \w+)? (?:<products>)(?:[\s?.!,;:]|$)|^(?:<products>) (?:is|does|ist|hat|est)\b`)

	// What to look for.
	occurs  = phrases("occurs")
	defines = phrases("defines")
	sayings = phrases("sayings")
)
