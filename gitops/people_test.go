package gitops

import "testing"

func TestWithoutPeople(t *testing.T) {
	const commit = "tree 1\nauthor Ada <a@b> 1 +0000\ncommitter Ada <a@b> 1 +0000\nmergetag object 2\n tagger Ada <a@b> 1 +0000\n \n x\n\nauthor Ada is said here"
	if got := string(WithoutPeople([]byte(commit))); got != "tree 1\nmergetag object 2\n \n x\n\nauthor Ada is said here" {
		t.Errorf("got %q", got)
	}
	for _, c := range []struct{ name, before, after string }{
		{"logs/HEAD", "1 2 Ada L <a@b> 3 +0000\tcommit: of Ada\n", "1 2\tcommit: of Ada\n"},
		{"worktrees/two/logs/HEAD", "1 2 Ada <a@b> 3 +0000\tx\n", "1 2\tx\n"},
		{"logs/HEAD", "torn\n", "torn\n\t"},
		{"config", "[core]\n\tname = Ada\n[user]\n\tname = Ada\n\temail = a@b\n\tsigningkey = Ada\n", "[core]\n\tname = Ada\n[user]\n\n\n\tsigningkey = Ada\n"},
		{"COMMIT_EDITMSG", "author Ada\n", "author Ada\n"},
	} {
		if got := string(FileWithoutPeople(c.name, []byte(c.before))); got != c.after {
			t.Errorf("%s: got %q, want %q", c.name, got, c.after)
		}
	}
}
