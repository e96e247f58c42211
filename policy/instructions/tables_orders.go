package instructions

// plantedOrders score what somebody plants in a memory for a later day: orders that wait
// for an occasion, policies that nobody made, notes to the agent, and ways to carry data
// away. They belong to steeringPhrases.
var plantedOrders = []Phrase{
	// Something to keep quiet about. Alone it is a wish about wording.
	{6, "hide", "not|never|don't|dont|without *1 mention|mentioning|report|reporting|tell|telling|disclose|admit|say *1 it|this|that|anyone|anybody|nobody|so"},
	{8, "hide", "not|never|don't|dont tell|show|mention|reveal *3 user|anyone|human *4 this|these memory|note|instruction|instructions|rule|message|line|text"},
	{6, "hide", "tell|assure|inform *2 user|person|human|reviewer *1 that *8 whatever|regardless|anyway|clean|safe"},
	{5, "override", "act on|upon it|this|these|them anyway|regardless"},

	// Orders that wait for an occasion.
	{5, "document", "if|when|whenever *2 user|anyone|person|somebody|someone *2 mentions|asks|mention|ask|says|say *6 reply|answer|say|tell|claim|respond|state that"},
	{4, "document", "append|add *3 to *1 every|each|all *1 link|links|url|urls|address|answer|reply *3 you|your"},
	{7, "command", "then|also *1 run|execute|delete|push *8 without *1 asking|telling|confirmation|approval"},
	{4, "command", "disable|stop|kill *1 the|all|any firewall|antivirus|logging|audit|selinux|monitoring|scanner"},
	{7, "command", "disable|remove|delete|bypass|skip *3 hook|hooks|guard|blocker|scanner *6 blocks|prevents|block|protects|stops"},
	{8, "send", "credentials|secrets|passwords|password|tokens|token|keys *6 add|copy|put|paste|send|post|append|forward|upload them|it|these *4 commit|message|issue|url|channel|comment|gist|address|pull|link|http|https|description|subject"},

	{8, "command", "silently|quietly|secretly|covertly *1 email|mail|copy|forward|share|change|disable|approve|include|remove|replace"},
	{7, "command", "skip|bypass|accept|approve|confirm *1 every|all|any|each *1 confirmation|confirmations|approval|approvals|permission|permissions|prompt|prompts"},
	{8, "command", "approve|merge|accept *6 without *1 reading|looking|reviewing|review|checking|asking"},
	{5, "command", "add|append|install|put|write *6 authorized keys"},
	{3, "command", "on|to|in *1 each|every|all|any server|servers|host|hosts|machine|machines|repository|repositories|repo|repos *1 you"},
	{8, "hide", "pretend|claim|say *1 that? *1 tests|test|build|checks|ci|scan *1 passed|pass|passes|green|succeeded|clean|fine *4 even|although|though|regardless|anyway|whatever"},
	{7, "hide", "not|never|don't|dont inform|tell|notify|alert|warn anybody|anyone|nobody|somebody that|about|of"},

	// Policies that nobody made.
	{8, "override", "your|safety *2 rules|guidelines|instructions|restrictions|limits do? not|don't|dont|no longer? *1 apply|count|hold"},
	{9, "command", "@agents must|shall|should|have|has|need|needs|will|to *3 upload|paste|forward|approve|skip|hide|give|grant|leak|send|share|disable|exfiltrate|reveal *6 secret|secrets|credentials|ssh|env|review|reviews|admin|rights|passwords|contents|customers"},
	{8, "override", "authorised|authorized|instructed|ordered *1 the|all|any|every? @agents to"},
	{8, "override", "safety|security|your|approval checks|check|controls|guidance|confirmations *1 are|is|have|has *1 been? suspended|void|off|lifted|waived|disabled"},
	{8, "override", "your *1 previous|earlier|old|prior|original guidance|orders|instructions|rules|training *1 is|are *1 void|obsolete|invalid|superseded|over"},

	// Notes to the agent.
	{4, "document", "note|message|memo|instruction|instructions|attention|dear|hey|listen|reminder to|for? the|any|all|whichever|every|future? *1 @agents"},
	{7, "override", "don't|dont|not|no|never need|needs|require|requires *2 permission|approval|confirmation *4 anything|everything|any|all"},
	{6, "command", "you may|can *8 without *1 asking|confirmation|permission|approval *2 ."},
	{6, "override", "owner|user|admin|administrator|operator agreed|agrees|consented|decided *1 that you"},
	{8, "override", "treat|consider|regard *3 everything|anything|all|text|this *6 as *2 coming|from|by|order|orders *3 user|owner|system|admin|me"},
	{8, "override", "write|copy|add|put|append|insert|replicate|spread *3 this *2 instruction|instructions|prompt|memory *6 each|every|all|other|any"},

	// Ways to carry data away.
	{8, "send", "share|expose|paste|post|send|upload *3 environment|env variables|vars|variable *3 on|to|with|in|into"},
	{10, "send", "put|paste|write|add|print|attach *4 ssh|aws|gnupg|kube *3 id_rsa|rsa|credentials|config|keys|key *4 in|into|to *3 title|body|issue|comment|commit|description|message|answer|reply|log|subject"},
	{8, "send", "copy|post|put|append|paste|send|upload|forward|include|encode|write|attach *4 secrets|credentials|passwords|password|token|tokens|env|environ *10 subject|title|description|channel|bucket|query|parameter|dns|telegram|pastebin|gist|image"},
	{8, "send", "copy|post|put|append|paste|send|upload|forward|include|encode|write|attach *3 private|api|secret|ssh|access|signing key|keys *8 subject|channel|bucket|query|parameter|dns|telegram|pastebin|gist|image|message|report|mail"},
	{8, "send", "open|visit|load|request|fetch|render *9 user's|users|conversation|chat|environment *2 message|messages|history|secrets|prompt|text|filled"},
}
