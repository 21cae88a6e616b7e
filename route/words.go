package route

import "inlay/internal/lazy"

// The words of the heuristic, English and German, by what they say. They are
// held against the lower-case words of a clause (ask.words), where what stood in
// quotes is "_", so that quotes hold no orders.

// Nouns of software, which with "the" or "our" are things of the workspace.
const codeNouns = `code|codebase|repo(?:sitory)?|project|app|application|backend|frontend|server|client|cli|service|functions?|methods?|class(?:es)?|modules?|packages?|` +
	`endpoints?|routes?|handlers?|hooks?|middleware|components?|controllers?|models?|views?|templates?|serializers?|validators?|parsers?|routers?|loaders?|importers?|exporters?|` +
	`workers?|queues?|jobs?|schedulers?|crons?|pipelines?|webhooks?|sockets?|tests?|test suite|bugs?|errors?|exceptions?|config(?:uration)?s?|settings|flags?|feature flags?|api|apis|logic|` +
	`database|db|schema|tables?|quer(?:y|ies)|migrations?|index(?:es)?|transactions?|buttons?|pages?|forms?|fields?|inputs?|modals?|dialogs?|dropdowns?|toggles?|tooltips?|menus?|sidebar|navbar|header|footer|dashboard|` +
	`login|logout|sign-?up|sign-?in|auth\w*|sessions?|tokens?|permissions?|roles?|cach\w*|loggers?|logging|logs|metrics|tracing|notifications?|mailer|emails?|mails?|uploads?|downloads?|imports?|exports?|` +
	`search|filters?|pagination|sort(?:ing)?|checkout|cart|payments?|invoices?|orders?|billing|prices?|variables?|constants?|implementation|features?|validation|timeouts?|retr(?:y|ies)|rate limit\w*|` +
	`build|ci|deployment|lock(?:ing)?|request|response|events?|state|store|stream|user ?names?|passwords?|user ?names?|passwords?|` +
	`funktion\w*|methoden?|klassen?|projekt\w*|fehler\w*|komponenten?|anwendung|schnittstelle|datenbank\w*|abfragen?|anmeldung|einstellungen|formular\w*|knopf|\w*seiten?|\w*suche|\w*liste|\w*dienst\w*|\w*verbindung\w*|\w*verwaltung|\w*verarbeitung|\w*prüfung|\w*berechnung\w*|einstellung|validierung|ausgabe|anzeige`

// What a noun stands after when it is a certain one.
const determiners = `the|this|that|these|those|our|my|its|all|der|die|das|den|dem|des|im|am|beim|vom|zum|zur|unser\w*|mein\w*|diese\w*`

var (
	courtesy = lazy.Regexp(`^` + courtesies)

	request = lazy.Regexp(`\b(?:can|could|would|will|kannst|könntest|würdest|magst) (?:you|u|we|du)\b`)

	// Moods.
	question = lazy.Regexp(`^(?:(?:in|from|on|at|for|bei|aus) )?(?:what|whats|why|how|hows|where|wheres|which|who|whose|when|does|do (?:we|you|they|i|the|any|all)|did|is|are|was|were|has|have|isn't|doesn't|aren't|don't we|any|can|could|should|would|will|warum|wieso|weshalb|wie|wo|woher|wer|welche\w*|ist|sind|hat|haben|gibt|wird|werden|kann|soll\w*|muss)\b`)
	marked   = lazy.Regexp(`\?\s*$`)
	howTo    = lazy.Regexp(`^(?:how (?:do (?:i|you|people)|can|should|would|to)\b|what(?:'s| is) the (?:best|difference|point|purpose of using)|should (?:i|we|one)|wie (?:kann|soll|würde|macht man)|when should|why (?:do people|do (?:we|you|i) (?:even )?need|would|should)|is it (?:better|safe|possible|ok|worth|normal)|what do (?:you|people) think|was hältst)`)

	// Orders.
	changes  = lazy.Regexp(`(?:^|, | and | und |[:;–-] )(?:also |please |then |directly |just )?(?:` + changeVerbs + `)\b|\b(?:ersetze?|füge?|entferne?|lösche?|benenne?|korrigiere?|behebe?|passe|erweitere?|baue?)\b|(?:^|\s)(?:ändere?|überarbeite?|ergänze?)\b|(?:ein|um|aus)(?:bauen|fügen|benennen|stellen)\b|\b(?:pls|please|bitte) (?:` + changeVerbs + `)\b|\bget rid of\b`)
	wishes   = lazy.Regexp(`\bi(?:['’]d| would)? (?:like|love|want|need|expect) (?:the|our|an?|all|every) .* to\b|(?:\b(?:the|our|this|that|der|die|das|unser\w*) \w.*|\bwe) (?:should|must|needs? to|ought to|has to|have to|sollten?|soll|muss|müssen)\b`)
	personal = lazy.Regexp(`^(?:i|my|me|ich|mein\w*)\b`)
	checks   = lazy.Regexp(`\b(?:what(?:['’]?s| is) (?:the (?:reason|cause)|wrong|going on)|(?:can|could) (?:you|u) (?:please )?(?:check|look|investigate|have a look)|any ideas?|(?:finde?|such\w*) die ursache|please fix|woran liegt (?:das|es))\b`)
	coded    = lazy.Regexp(`\b(?:` + codeNouns + `)\b`)
	needs    = lazy.Regexp(`^(?:i|we) (?:need|want) |^ich (?:brauche|will|möchte) |^wir (?:brauchen|wollen) `)
	authors  = lazy.Regexp(`^(?:write|draft|compose|create|generate|design|brainstorm|suggest|propose|plan|sketch|make (?:me )?(?:an? |up )|give me (?:an? |some )?(?:ideas?|example|names?)|schreibe?|entwirf|erstelle?)\b`)
	finds    = lazy.Regexp(`\b(?:find|locate|search|look(?:ing)? (?:up|for)|hunt|track down|finde?|suche?)\b`)
	tells    = lazy.Regexp(`^(?:(?:in|from|on|at|for|bei|aus) )?(?:how|why|whats?|where|which|who|when (?:do|does|is|are)|explain|describe|show|give|walk|trace|debug|investigate|figure|understand|check|review|inspect|look|analy[sz]e|audit|is|are|do|does|did|have|has|any|can|wie|wo|woher|warum|wieso|weshalb|was|welche\w*|wer|wann|gibt|haben|ist|sind|wird|werden|erklär\w*|prüf\w*|untersuch\w*|zeig\w*|beschreib\w*|schau\w*)\b`)

	opens = lazy.Regexp(`^(?:read|open|cat|view|print|lies|lese|öffne)\b`)

	views = lazy.Regexp(`^(?:have |take |let's )?(?:a )?(?:quick )?(?:look|peek|see|show|open|browse|check out|what(?:['’]?s| is) (?:in|inside)|contents|list(?:ing)?|inhalt|zeige?|schau\w*)\b`)

	itself   = lazy.Regexp(`\b(?:it|its|ihn|es)\b`)
	readsNot = lazy.Regexp(`(?i)\b(?:not|n['’]?t|never|without|avoid|skip|ignore|forget|forbid you to|nicht|ohne)\b(?: \w+){0,2}? ?(?:read|open|look|view|show|touch|use)|\b(?:skip|ignore|forget|instead of|rather than|lies|öffne)\b`)

	// Of what.
	ourOwn   = lazy.Regexp(`\b(?:our|ours|we|unser\w*|bei uns|wir)\b|\b(?:this|the|current|existing|diese\w*|im|das|der|die|dem|ins) (?:\w+ )?(?:project|repo(?:sitory)?|code ?base|code|app|application|program|workspace|backend|frontend|source(?: code)?|projekts?|anwendung|quellcode|quelltext|code)\b|\b(?:in|around|over) here\b|\bhere\W*$|\bhier\b|\b(?:codebase|repo)\b|\bexisting\b`)
	certain  = lazy.Regexp(`\b(?:` + determiners + `)(?: [\w'’äöüß-]+){0,3}? (?:` + codeNouns + `)\b|\b(?:users?|customers|visitors|admins|benutzer|nutzer|kunden)\b`)
	definite = lazy.Regexp(`\b(?:the|our|this|that|those|these|all|every|each|my|der|die|das|den|dem|unser\w*|alle)\b`)
	linking  = lazy.Regexp(` (?:of|in|for|to|that|which|is|are|was|and|or|with|from|on|at|by|an?|von|für|zu|und|oder|ist|sind|mit) `)
	makings  = lazy.Regexp(`^(?:write|create|generate) (?:an? |the |some )?(?:new )?(?:migration|endpoint|seeder|unit tests?|integration tests?)\b|\b(?:tests?|docs?|documentation|docstrings?|comments?|migration|endpoint|handler|page|component|wrapper|mock|fixtures?|benchmarks?|interface|dokumentation)\b.* (?:for|to|of|in|on|around|covering|für|zu) (?:` + determiners + `)\b`)
	general  = lazy.Regexp(`\b(?:prefer|in general|generally|difference between|differ from|pros and cons|advantages?|trade-?offs?|downsides?|drawbacks?|upsides?|benefits?|alternatives? to|concept of|idea (?:of|behind)|principles?|best|better|worse|good (?:way|idea|practice|for)|usual|typical\w*|common|popular|recommend(?:ed)?|history of|versus|vs\.?|people|everybody|everyone|what does .* mean|mean(?:s|t)? (?:to|by)|in (?:theory|principle|simple words|layman\w*)|to a (?:child|beginner)|(?:like|as if) i['’]?m (?:five|5)|im allgemeinen|grundsätzlich|unterschied zwischen|vor- und nachteile|my (?:computer|laptop|phone|mac|pc|wifi|internet|car|dog|cat|boss))\b`)
	inKind   = lazy.Regexp(`\b(?:in|of|for|with|by) an? |\b(?:in|of|for|with|by) (?:go|golang|python|java|javascript|js|node|rust|c|c\+\+|c#|typescript|ruby|php|react|vue|angular|django|rails|spring|linux|unix|windows|postgres\w*|mysql|sql|redis|kafka|kubernetes|k8s|docker|git|http|tcp|rest|graphql|css|html|haskell|kotlin|swift|modern \w+)\b`)
	prosaic  = lazy.Regexp(`\b(?:sentences?|paragraph|poem|haiku|joke|story|letter|essay|limerick|song|tweet|grammar|spelling|following|snippet|below|recipe|this (?:text|e?mail|message|regex|query)|satz|gedicht|folgende\w*)\b|\b(?:this|these) [^:]*:\s+\S`)
	broken   = lazy.Regexp(`\b(?:fail\w*|broken?|breaks?|crash\w*|hangs?|hanging|fr[eo]e?z\w*|wrong(?:ly)?|slow\w*|bugs?|buggy|errors?|(?:does|do|is|are|was|did|has|have|wo|ca)n['’]?t|not work\w*|stop(?:s|ped)|flaky|leak\w*|throws?|panics?|times? out|timeouts?|returns? (?:\d{3}|null|nil|nothing|empty|undefined)|[45]0\d|disappear\w*|missing|duplicate\w*|twice|stuck|blank|empty|off by|sometimes|occasionally|manchmal|no (?:results?|mails?|response)|returns? no|kommen? keine|orphan\w*|vanish\w*|verschw\w+|verlier\w*|verloren|eats|hogs|spikes?|grows|i (?:get|see|keep getting) (?:an? )?(?:_|error|exception)|off by one|randomly|suddenly|unexpectedly|killed|lost|loses|out of (?:sync|memory|range)|does nothing|take so long|kaputt|hängt|hängen|stürz\w*|falsch\w*|fehler\w*|schlägt|schlagen|nicht|langsam\w*|doppelt|bricht|brechen|abstürz\w*|abbr\w+)\b`)
	causes   = lazy.Regexp(`\b(?:find (?:out|the (?:\w+ )?(?:cause|reason|bug|problem|culprit|leak|error|issue|mistake))|figure out|cause|investigate|debug|look into|track (?:that|this|it) down|any ideas?|fix|repair|diagnose|what(?:['’]?s| is) (?:wrong|going on|happening)|can you (?:help|look|check)|woran|ursache|behebe?\w*|fixen|repariere?\w*)\b|\b(?:why|warum|wieso)\s*\?*\s*$`)
	// reasons are orders to find a cause, whatever it is of.
	reasons = lazy.Regexp(`\b(?:find out|figure out|work out|investigate) (?:why|where|what(?:['’]?s| is) causing|how (?:\w+ ){1,3}(?:is|are|gets?|does|do|works?))\b|\bfind the (?:\w+ )?(?:cause|reason|bug|culprit|leak)\b|\bfinde?\b.*\bheraus\b.*\b(?:warum|wieso|woran|wo)\b`)
	whichOf = lazy.Regexp(`^(?:in |aus )?(?:which|what|welche\w*) (?:file|function|class|module|component|method|service|package|part|script|handler|hook|query|datei|funktion|klasse|komponente|methode)\b`)
	// partOf asks for code wherever in an ask it stands: "which part of the code".
	partOf = lazy.Regexp(`\b(?:which|wh?ich|wat|what|welcher?) (?:part|parts|piece|bit|bits|place|corner|teil) (?:of|in|von) (?:the |our |my |its )?(?:code\w*|app\w*|project|repo\w*|program|firmware|script|source)\b|\bwelcher teil (?:des|vom|im) (?:code|programm|projekt)\w*`)
	// somewhere is a fault whose place is not known.
	somewhere = lazy.Regexp(`\b(?:somewhere|someplace|irgendwo) (?:in|on|at|inside|around|im|in der|auf) `)
	// whenDone asks how something of the software is done when something happens.
	whenDone = lazy.Regexp(`^(?:how|wie) (?:is|are|gets?|do|does|wird|werden) [^?]*\b\w{3,}(?:ed|t|sent|set)(?: (?:up|out|off|down|in))? (?:on|when|after|before|during|upon|bei|nach|vor|wenn) `)
	passive  = lazy.Regexp(`^(?:show me |tell me |zeige?(?: mir)?,? |find (?:out )?)?(?:where|wo)\b.*(?:\b(?:\w{3,}ed|built|sent|set|stored|thrown|read|written|kept|made|done|hidden|come from|comes from|live|lives|happens?)\b|\b(?:ge|be|ver|er|ent|zer|auf|an|aus|ein|ab)\w{3,}(?:t|en)\b)`)
	theCode  = lazy.Regexp(`\b(?:code|function|functions|place|places|spot|whatever|part|bit|piece|block|section|script|lines?|stuff|logic|implementation|class|component|module|file|method|handler|service|test|query|stelle|funktion|klasse|datei|teil)\b,? (?:\w+ ){0,3}?(?:that|which|where|who|for|behind|responsible|handling|parses|reads|writes|sends|makes|doing|of|behind|die|der|das|wo|für|wird|is|does|has|decides|sends|handles)\b`)
	already  = lazy.Regexp(`^(?:is|are) there (?:any|an?|some|already|anything|something)\b.*|^(?:do|have|did) we\b|^(?:gibt es|haben wir)\b`)
	back     = lazy.Regexp(`\b(?:it|this|that|there|these|those|them|the (?:above|file|results?|output|findings)|so far|you (?:have |['’]ve )?(?:found|read|seen|just)|es|das|dies\w*|darin|dort|dem|die ergebnisse|daraus)\b`)

	how = lazy.Regexp(`^(?:how|wie) (?:is|are|gets?|was|wird|werden) (?:the|this|that|der|die|das)\b.*\b(?:\w{3,}ed|built|sent|set|stored|read|written|kept|made|done|ge\w+t)\b|^(?:what|who) (?:triggers|calls|handles|controls|decides|sets|starts|sends) (?:the|our|this) `)

	// What to look for.
	occurs  = lazy.Regexp(`\b(?:usages?|uses|occur\w*ces?|references?|callers?|calls?|mentions?|imports?|instances?|left(?:overs?)?|remaining|comments?|aufrufe?|verwendungen|vorkommen|stellen)\b|\b(?:is|are|gets?|was|still|where|wird|werden|ist|sind)\b.*\b(?:used|called|referenced|imported|mentioned|invoked|instantiated|set|read|appears?|occurs?|defined|declared|verwendet|benutzt|aufgerufen|gesetzt|importiert)\b|\bwo\b.*\b(?:wird|werden)\b|\b(?:do|does)\b.*\b(?:appear|occur|turn up|show up|call|use)\b|\bfiles? (?:that |which )?(?:still )?(?:have|has|with)\s+\S|\bkommt\b.*\bvor\b|\b(?:do|does|did) (?:we|they|it|any\w*|some\w*) (?:\S+ ){0,2}?(?:use|call|import|reference|mention)\b|\b(?:who|which \w+)(?: (?:still|else|all|also|even|actually|now))* (?:pass(?:es)?|sets?|reads?|writes?|needs?|touch(?:es)?|implements?|extends?|overrides?|inherits?(?: from)?|instantiates?|depends? on|subscribes? to|listens? to) |\bgrep (?:for )?(?:it|that|them|this)\b|\bwhere (?:all |else |everywhere )?(?:do|did|have|are) (?:i|we|you|they) (?:still |already |all |ever )?(?:have|has|got|put|see|find)\b|^(?:grep|rg|ag|search|scan|look|hunt|track|find|such\w*|durchsuch\w*|finde?)\b|\b(?:who|what|which|every|any\w*|something|someone|nothing|all|each|find|show|list|alle|welche|wer|die)\b(?: \S+){0,4} (?:that |which )?(?:` + holders + `)\s+\S`)
	defines = lazy.Regexp(`\b(?:defin\w+|declar\w+|implement\w*|definiert)\b`)
	sayings = lazy.Regexp(`\b(?:message|error|string|text|word|line|exception|warning|phrase|label|title|meldung|fehlermeldung|wort)\b`)
)

const changeVerbs = `change|rename|fix|add|remove|replace|refactor|update|upgrade|downgrade|insert|delete|drop|modify|edit|correct|rewrite|implement|convert|extract|move|append|prepend|bump|increase|decrease|raise|lower|set|make|handle|log|introduce|simplify|clean(?: \w+)? up|tidy|translate the|document|comment out|uncomment|support|enable|disable|turn (?:on|off|the|our)|rework|restructure|rebuild|redesign|transform|highlight|reduce|reorder|restrict|expose|accept|reject|switch|migrate|split|merge|combine|inline|swap|sort|format|reformat|wrap|cache|validate|limit|allow|prevent|stop|avoid|ensure|improve|optimi[sz]e|speed up|shorten|uppercase|lowercase|strip|trim|put|hide|display|deprecate|port|integrate|connect|wire|hook|adjust|adapt|tweak|extend|revert|undo|use|store|save|persist|show a|let (?:the|our|users?|customers|admins|visitors)|parametri[sz]e|generali[sz]e|deduplicate|decouple|harden|secure|mock|cover|type`

// Who holds a text: files, places, callers.
const holders = `imports?|importing|uses?|using|calls?|calling|mentions?|mentioning|contains?|containing|references?|referencing|throws?|throwing|logs?|prints|raises?|includes?|requires?|emits?|enthalten|enthält|verwenden|verwendet|benutzen|benutzt|importieren|importiert|rufen|ruft|nutzen|nutzt`

// courtesies come before what is asked for.
const courtesies = `(?:(?:hi|hey|hello|hallo|moin|yo|ok|okay|yes|yep|yeah|ja|nice|great|cool|perfect|good|gut|alright|right|well|hm+|so|now|then|and|und|also|but|just|first|finally|actually|quick(?:ly)?|please|pls|plz|bitte|mal|kindly|maybe|dear \w+|thanks|thx|sure|looks good|jetzt|dann|nun|zuerst)\b[,.!:]*\s+|` +
	`(?:can|could|would|will) (?:you|u|we)(?: please| pls| kindly| maybe| quickly| just| be so kind as to| mind)*\s+|i(?:'d| would) (?:like|love) (?:you )?to (?:see )?|i (?:want|need) (?:you )?to |i was wondering (?:if|whether) you (?:could|can|might|would) |` +
	`let(?:'s|s| us| me) |we (?:should|need to|must|have to|want to) |you (?:should|can|could) |(?:kannst|könntest|würdest|magst) du (?:mir |mal |bitte )*|wir (?:sollten|müssen) |go ahead and |in (?:here|there|this file|that file),? |go and |help me (?:to )?|try to |tell me |mir )*`
