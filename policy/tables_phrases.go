package policy

// classes are sets of words that phrases share.
var classes = map[string]string{
	"ignore":  "ignore ignores ignored ignoring disregard disregards disregarded disregarding forget overlook neglect bypass override overrides overriding discard dismiss ditch drop erase skip ignor cancel",
	"earlier": "previous prior preceding above earlier past former foregoing existing original initial old preset current before previously",
	"orders":  "instruction instructions instructons prompt prompts directive directives command commands order orders guideline guidelines rule rules constraint constraints context message messages direction directions programming training restrictions policies told said conversation conversations text input inputs guidance statements limitations filters",
	"model":   "ai chatbot gpt chatgpt assistant llm bot model claude gemini copilot llama agent bard",
	"limits":  "restriction restrictions limitation limitations limits rules guidelines policy policies filter filters ethics ethical moral morals moderation censorship boundaries constraints safeguards laws legality legalities warnings disclaimers",
	"answer":  "answer answers respond response responses reply replies output outputs say says write print return",
	"persona": "dan jailbreak jailbroken unfiltered uncensored unrestricted amoral unethical evil omnipotent unhinged immoral",
	"embed":   "include incorporate integrate add insert embed blend fuse adopt append ensure leverage use place put merge inject weave implement utilize introduce make consider apply employ attach enhance enrich flourish benefit integrating adding including inclusion addition integration featured hesitate forget",
	"secret":  "password passwords secret secrets token tokens credential credentials keys key env",
}

// steeringPhrases score what tries to steer an agent. Ten points refuse, seven
// hold; a phrase that is harmless alone has few.
var steeringPhrases = []phrase{
	// Setting aside what it was told.
	{10, "override", "@ignore all|any|every|the|your|my|these|those|of *3 @earlier *3 @orders"},
	{10, "override", "@ignore @earlier *2 @orders"},
	{10, "override", "@ignore *3 @orders *3 above|before|previously|earlier|prior|given|preceding"},
	{10, "override", "@ignore all|every|any *2 you|you've *4 told|said|given|learned|instructed|know|received"},
	{10, "override", "@ignore everything|anything|all|whatever|what *2 @earlier|you|i *3"},
	{10, "override", "@ignore your|the|all|any *3 instructions|guidelines|programming|training|safeguards|prompt|directives|restrictions"},
	{8, "override", "forget|disregard everything|all *2 before|above|told|previous|prior"},
	{8, "override", "new|updated|real|actual|following|these instructions|orders|directives *4 override|supersede|replace|overwrite|precedence"},
	{8, "override", "instructions|orders|directives|rules *4 override|overrides|supersede|supersedes|replace|overwrite *3 previous|prior|earlier|above|all|any|your"},
	{6, "override", "your new|real|true instructions|task|objective|goal|purpose|mission|directive|orders|job is|are"},
	{6, "override", "new instructions|instruction|orders|directive|task|rules|prompt ."},
	{5, "override", "do not|don't|dont|never follow|obey|adhere|listen *3 @orders"},
	{8, "override", "do not|don't|dont|never follow|obey|adhere|listen|comply *2 the|your|any|other *2 @earlier|system|safety|openai|developer *2 @orders"},
	{5, "override", "stop|end|quit being|acting *3 @model"},
	{6, "override", "nevermind|instead *2 @ignore"},
	{5, "override", "from now|here|hence on|forth|forward|onward you|your|i|every|chatgpt|this"},
	{4, "override", "henceforth you|you'll|your"},

	// A role to play.
	{6, "role", "you are|you're|ur now|no"},
	{6, "role", "from now|here on|forth|forward *2 you|your *3 be|are|act|will|must|going|have|act"},
	{5, "role", "you are|you're going|about to act|immerse|pretend|simulate|roleplay|play|become|be|embody"},
	{6, "role", "pretend|imagine|act|acting|behave|respond|reply|speak|roleplay|simulate|pose *3 as|like|to|that *3 @persona|@model|dan"},
	{6, "role", "you are|you're|act|be|become|play|simulate|called|named|name *4 @persona"},
	{4, "role", "act|acting|behave|pose|posing|functioning|roleplay|serve as|like a|an|my|the|if|though"},
	{4, "role", "i want|need|would|will you to *2 act|play|pretend|be|roleplay|simulate|behave|respond|take|become"},
	{4, "role", "you will|must|shall|are|should now|always|to|only *2 act|play|pretend|respond|reply|answer|simulate|be|behave|generate|role|speak|pose"},
	{5, "role", "stay|remain|keep|stays|staying|break|breaking|broke|breaks|leave|out|drop in|of character|role|persona"},
	{5, "role", "stay|remain|break|breaking|breaks character"},
	{4, "role", "role|character|persona|mode|personality|identity is|of|as|called|named|play|playing|enabled|activated|on"},
	{5, "role", "developer|dev|god|admin|jailbreak|dan|debug|evil|sudo|maintenance|unrestricted|root mode|access"},
	{6, "role", "do anything now"},
	{7, "role", "dan|dans|stan|dude|aim|jailbreak|jailbroken *6 can|cannot|will|do|does|is|must|never|stands|mode"},
	{5, "role", "stands for *6 anything|now|mode|machine|rules|limits"},
	{4, "role", "you are|you're not|no an|a|longer|just|only *3 @model"},
	{4, "role", "fictional|hypothetical|imaginary|virtual *2 world|story|character|chatbot|ai|being|scenario"},
	{4, "role", "@persona *2 @model|character|being|chatbot|machine|version|mode|confidant|assistant|response|responses|persona"},
	{3, "role", "@persona"},
	{3, "role", "chatgpt|openai|gpt-4|gpt|chatgpt's|openai's"},
	{3, "role", "respond|answer|reply|responds|replies|answers as *5"},
	{3, "role", "simulate|simulating|simulation|roleplay|roleplaying|impersonate"},
	{3, "role", "two|both|2 *3 responses|answers|ways|paragraphs|replies"},

	// Dropping its limits.
	{6, "harm", "no|without|any|free|freed|zero|bypass|bypasses|break|broken|removed|lacks|lack|unbound|disregard|outside|disable|disabled *4 @limits"},
	{6, "harm", "not|never|isn't|aren't|doesn't|don't|no *3 bound|restricted|limited|constrained|censored|required|obligated|abide|adhere|follow|obey|comply|have|care|apply *5 @limits"},
	{5, "harm", "never|not|cannot|can't|won't|don't refuse|refuses|decline|reject|deny|apologize|apologise|apologizes|refusing"},
	{5, "harm", "never|not|cannot|can't|don't|without say|saying|says|state|mention|tell|warn|remind|include|add|give *4 can't|cannot|sorry|ai|unethical|illegal|inappropriate|language|warnings|disclaimers|unable|warning|disclaimer|apology|moral"},
	{5, "harm", "as an ai|artificial language|model|i|intelligence"},
	{4, "harm", "illegal|unethical|immoral|harmful|dangerous|offensive|inappropriate|nsfw|explicit|racist|unlawful|violent *3 content|information|requests|questions|things|activities|advice|response|responses|or|and|answers|acts|material|act"},
	{4, "harm", "regardless|matter|even of|if|how|what *6 ethical|moral|legal|illegal|unethical|immoral|consequences|harmful|dangerous|offensive|ethics|legality|legalities|morality"},
	{4, "harm", "any|every|all|my|anything|everything question|questions|request|requests|prompt|prompts|command|commands|i|asked *5 answer|obey|comply|fulfill|without|regardless|matter|ask|asked"},
	{4, "harm", "openai|content|ethical|safety|moderation|anthropic|google *2 policy|policies|guidelines|filters|guardrails|restrictions|standards|protocols|rules"},
	{4, "harm", "say|do|does|says|generate anything|everything|whatever"},
	{3, "harm", "swear|curse|cursing|profanity|vulgar|slurs|nsfw|sexual|cuss|swears|curses"},
	{3, "harm", "hacking|malware|drugs|weapons|bomb|bombs|meth|crime|crimes|illegal"},

	// Giving away its prompt.
	{10, "prompt", "reveal|show|print|repeat|output|display|tell|share|leak|expose|give|dump|write|return|disclose|recite|reproduce *4 system|hidden|initial|internal|secret|original|developer prompt|instructions|message|prompts|instruction|rules"},
	{8, "prompt", "reveal|print|repeat|output|display|leak|expose|dump|disclose|recite|reproduce|show *2 your|above|entire *2 prompt|instructions|instruction|rules|guidelines|configuration"},
	{8, "prompt", "what|which are|were|is your *3 instructions|prompt|guidelines|directives"},
	{8, "prompt", "repeat|print|output *4 words|text|everything|lines|sentences|content|instructions above|before|starting|verbatim|preceding"},
	{6, "prompt", "beginning|start|begin|starting|starts|prefix|end|finish|begins *2 your|every|each|the|all *2 response|answer|reply|message|sentence|output|messages|responses|answers|paragraph *2 with|by"},

	// Commands to run, code to plant.
	{8, "command", "run|execute|exec|eval|invoke|launch *3 following|this|these|below|next *3 command|commands|script|code|payload|shell"},
	{8, "command", "you|assistant|agent|ai|model must|should|shall|will|need|always|have *3 run|execute|exec|curl|wget|download|install|fetch|call|invoke *8"},
	{10, "command", "@embed *8 following|subsequent|below|this|given|next|provided *3 code|script|snippet|lines|excerpt"},
	{6, "command", "following|subsequent|below|this|provided code|script|snippet *2 block|snippet|section|segment|excerpt|fragment|piece|part *9 implementation|codebase|solution|code|response|explanation|answer|elucidation|logic|project|work|program"},
	{8, "command", "silently|quietly|automatically|secretly|immediately *2 run|execute|install|download|send|delete|call|invoke|fetch|post|upload|push|add|commit|append"},
	{7, "command", "before|after|when|whenever|every|each|at *6 run|execute|invoke|call *4 curl|wget|bash|sh|powershell|python|eval"},
	{7, "command", "download|fetch|curl|wget|pull *5 and|then *2 run|execute|install|pipe|eval|source"},
	{6, "command", "disable|turn|bypass|skip *4 safety|security|sandbox|permission|approval|confirmation|confirmations|permissions|guardrails|authentication checks|check|prompts|prompt|mode|mechanisms|controls|off|features|verification"},
	{6, "command", "without *2 asking|confirmation|permission|approval|confirming|telling|informing|notifying *4"},
	{6, "command", "call|use|invoke the|this|your *4 tool|function|plugin with|to *6 delete|send|transfer|email|post|upload|exfiltrate"},

	// Something to keep from the user.
	{9, "hide", "do not|don't|never|dont|without|not *2 tell|inform|mention|reveal|notify|show|alert|warn|disclose|telling|informing|mentioning|notifying|alerting|let *4 user|users|anyone|human|owner|them|operator|developer|victim"},
	{9, "hide", "hide|conceal|keep|withhold *4 from *2 user|users|human|owner|developer|everyone|reviewer|reviewers"},
	{6, "hide", "without *2 user|user's|users|their|anyone *2 knowing|knowledge|noticing|consent|awareness|permission|approval"},
	{5, "hide", "do not|don't|never|dont *2 reveal|mention|acknowledge|disclose|explain|repeat *4 this|these|instruction|instructions|message|prompt|rules"},
	{5, "hide", "if|when asked|questioned|anyone|user|they|someone *3 say|report|deny|claim|respond|reply|answer|pretend|state"},

	// Sending data away.
	{8, "send", "send|post|upload|forward|email|transmit|exfiltrate|leak|copy|share|append|include|encode|submit|embed|put *5 @secret|conversation|history|prompt|contents|data|chat|memory|memories|file|files|environment|context *6 to|at|into|in|with *4 http|https|url|server|endpoint|webhook|com|address|attacker|link|website|external"},
	{6, "send", "exfiltrate|exfiltration|steal|stealing|harvest"},

	// Orders to the model inside a document.
	{6, "document", "attention|important|notice|note|message|instruction|instructions|reminder|hey|dear|hello|hi|warning|urgent|to *2 ai|llm|chatgpt|gpt|assistants|models|agent|agents|claude|chatbot|llms"},
	{6, "document", "if *2 you *2 are|are an|a|the *2 ai|llm|assistant|model|chatbot|agent|bot"},
	{7, "document", "in|into|to|with|of|at your answer|response|reply|output|message|summary|explanation|answers|responses|elucidation|replies|email"},
	{5, "document", "your|the response|answer|reply|output|message|responses|answers|summary should|must|needs|shall|has|will|to"},
	{5, "document", "when|while|before|after|if *2 summarizing|summarising|summarize|answering|translating|processing|reading|responding|reviewing|asked *8 always|instead|say|add|include|insert|mention|recommend|tell|output|respond|reply|write|print|state|report"},
	{6, "document", "instead|just|only|simply|please *2 print|say|output|respond|reply|write|repeat|return *4 exactly|only|following|pwned|hacked|sentence|with|word|phrase|nothing"},
	{6, "document", "@ignore *2 them|it|that|this|these|those *3 and|instead|focus|just"},
	{8, "document", "and|instead|then *3 translate|repeat|print|say|output|write *3 sentence|phrase|words|word|text *2 as|with|in"},
}
