package policy

import (
	"testing"

	"github.com/memctl/memctl/memfile"
)

func TestAKeyMakesASecretOfItsValueOnlyWhereTheValueIsOne(t *testing.T) {
	secrets := map[string]string{
		"db.password":       fake("Sommer", "2024!"),
		"db.password.prod":  fake("Sommer", "2024!"),
		"api.token":         fake("abcd1234", "efgh5678ijkl"),
		"deploy.key":        fake("9f8a7b6c5d", "4e3f2a1b0c"),
		"admin.pwd":         fake("letme", "in42"),
		"wifi.password":     fake("kanga", "roo"),
		"ci.secret":         fake("f3a9c1", "d7e5b2"),
		"vault.passphrase":  fake("correct horse", " battery staple"),
		"app.client-secret": fake("Zq7Xw2Lm", "9Rt4Vb6N"),
	}
	for key, value := range secrets {
		if r := Rule(Candidate{Key: key, Value: memfile.Str(value)}); r.Verdict != Refuse {
			t.Errorf("%s: %v", key, r.Verdict)
		}
	}
	plain := map[string]string{
		"security.password.policy":  "12 characters minimum",
		"auth.token.ttl":            "3600",
		"api.key.location":          "vault",
		"deploy.key":                "~/.ssh/deploy",
		"auth.provider":             "auth0",
		"login.flow":                "oauth2-pkce",
		"password.hashing":          "argon2id",
		"token.format":              "uuidv7",
		"key.bindings":              "ctrl-k2",
		"tooling.password-manager":  "1password",
		"api.token":                 "read from $API_TOKEN",
		"auth.token.storage":        "httpOnly cookie v2",
		"private.registry":          "registry.acme.io:5000",
		"db.password":               "in vault under db/prod",
		"auth.issuer":               "https://login.acme.io/v2",
		"secret.scanner":            "gitleaks8",
		"token.limit":               "128k",
		"password.length":           "min16chars",
		"tests.token.default":       "none",
		"security.passphrase.rules": "ask the user before every use",
	}
	for key, value := range plain {
		if r := Rule(Candidate{Key: key, Value: memfile.Str(value)}); r.Verdict != Accept {
			t.Errorf("%s: %v %s", key, r.Verdict, listed(r))
		}
	}
}

func TestASentenceGivesASecretOnlyWhereItHasOne(t *testing.T) {
	secrets := []string{
		"login: admin / " + fake("Passw0rd", "!2024"),
		"credentials: admin / " + fake("Som7mer", "#Nacht"),
		"the passphrase for the backup is " + fake("correct-horse", "-battery"),
		"deploy key is " + fake("9f8a7b6c5d", "4e3f2a1b0c"),
		"amqp://app:" + fake("k7Qz93", "nVt2") + "@rabbit:5672",
	}
	for _, text := range secrets {
		if r := Rule(Candidate{Key: "a.b", Value: memfile.Str(text)}); r.Verdict != Refuse {
			t.Errorf("%s: %v", text, r.Verdict)
		}
	}
	plain := []string{
		"deploy key is ~/.ssh/id_ed25519_deploy",
		"deploy key: ~/.ssh/id_ed25519_deploy",
		"the signing token is in ~/.config/tool/token_v2",
		"login: admin / viewer",
		"login: GET / POST2",
		"login: staging / https://login.acme.io/v2",
		"the passphrase for the backup is kept-in-vault",
		"the passphrase for the backup is stored in the vault",
		"the password for the backup is well-known-here",
		"password=changeme",              // what stands for one
		"amqp://guest:guest@rabbit:5672", // what everybody's has
	}
	for _, text := range plain {
		if r := Rule(Candidate{Key: "a.b", Value: memfile.Str(text)}); r.Verdict != Accept {
			t.Errorf("%s: %v %s", text, r.Verdict, listed(r))
		}
	}
}
