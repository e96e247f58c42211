package policy

// sensitivePhrases: a fact stated of a person. What somebody merely likes,
// believes in general or works on is none.
var sensitivePhrases = []phrase{
	{10, "health", "was|been|is|got|were|am|i'm|are recently|officially|just|also? diagnosed *2 with"},
	{10, "health", "my|his|her|their|user's|patient's *1 diagnosis is|of"},
	{10, "health", "is|am|i'm|tested|are hiv positive"},
	{10, "health", "has|have|having|suffers|suffer|suffering *2 from? *1 hiv|aids|cancer|schizophrenia|epilepsy|parkinson's|hepatitis|bipolar|leukemia|leukaemia"},
	{10, "health", "takes|take|taking|prescribed *3 antidepressants|antipsychotics|insulin|methadone|lithium|ssri|chemotherapy"},
	{10, "health", "medical record|records *2 number|shows|show|say"},
	{10, "health", "i|she|he|they|user had|have|has an abortion"},
	{10, "criminal-record", "was|were|been|is|am convicted|arrested|indicted *2 of|for|in"},
	{10, "criminal-record", "has|have|with|had a criminal record|conviction|convictions"},
	{10, "criminal-record", "is|am|was|i'm a? convicted? felon|on? probation|parole"},
	{10, "criminal-record", "served|serving *3 prison|jail"},
	{10, "immigration", "is|am|are|i'm an? undocumented|illegal immigrant|alien|worker"},
	{10, "immigration", "my|his|her|their|user's *2 immigration status is"},
	{10, "immigration", "is|am|are|was|i'm *2 asylum seeker"},
	{10, "immigration", "facing|faces|awaiting deportation"},
	{10, "union", "is|am|are|i'm *3 member|members|representative *3 union"},
	{10, "sexuality", "my|his|her|their|user's sexual orientation|preference is"},
	{10, "faith", "my|his|her|their|user's religion|religious *2 is|are"},
	{10, "politics", "user|i|he|she|they voted|votes for *2 democrats|republicans|labour|conservatives|tories|greens|party|trump|biden|harris|left|right"},
}
