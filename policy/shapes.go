package policy

// shape is what one kind of credential looks like: how it begins, what it is
// made of, how long the rest is. Each row is a fact from its issuer's
// documentation or from the form of its keys.
type shape struct {
	prefix   string
	kind     string
	alphabet uint32 // of what follows the prefix
	min, max int    // length of what follows; a longer run is something else
	needs    uint32 // at least one byte of these must follow
}

const long = 4096

// shapesOf lists the shapes that begin with this byte.
func shapesOf(first byte) []shape {
	switch first {
	case 'A':
		return shapesA
	case 'a', 'b', 'c':
		return shapesAtoC
	case 'd', 'e', 'f':
		return shapesDtoF
	case 'g':
		return shapesG
	case 'h', 'i', 'j', 'k', 'l':
		return shapesHtoL
	case 'm', 'n', 'o':
		return shapesMtoO
	case 'p', 'q', 'r':
		return shapesPtoR
	case 's':
		return shapesS
	case 't', 'u', 'v', 'w', 'x', 'y', 'z':
		return shapesTtoZ
	}
	if first >= 'B' && first <= 'Z' {
		return shapesUpper
	}
	if first == '1' || first == '2' || first == '$' {
		return shapesOther
	}
	return nil
}

var shapesA = []shape{
	{"AKIA", "aws-access-key", upAlnum, 16, 16, digits},
	{"ASIA", "aws-access-key", upAlnum, 16, 16, digits},
	{"ABIA", "aws-access-key", upAlnum, 16, 16, digits},
	{"ACCA", "aws-access-key", upAlnum, 16, 16, digits},
	{"A3T", "aws-access-key", upAlnum, 17, 17, 0},
	{"AIza", "google-api-key", urlSafe, 35, 35, 0},
	{"AQ.Ab", "google-api-key", urlSafe, 40, 80, digits},
	{"AGE-SECRET-KEY-1", "age-secret-key", upAlnum, 58, 58, 0},
	{"AKCp", "artifactory-key", alnum, 60, 80, 0},
	{"AKID", "tencent-secret-id", alnum, 32, 36, digits},
	{"ATATT3", "atlassian-token", anyToken, 50, 300, 0},
	{"ATCTT3", "atlassian-token", anyToken, 50, 300, 0},
	{"ATBB", "bitbucket-app-password", alnum, 32, 40, digits},
	{"ATTA", "trello-token", hexAny, 60, 80, digits},
	{"AQVN", "yandex-cloud-key", urlSafe, 35, 38, digits},
	{"API-", "octopus-api-key", upAlnum, 25, 36, digits},
	{"APP_USR-", "mercadopago-token", urlSafe, 40, 90, digits},
	{"AC", "twilio-account", hexLow, 32, 32, digits},
	{"A3-", "onepassword-secret-key", upAlnum | dash, 30, 44, digits},
}

var shapesUpper = []shape{
	{"BBFF-", "ubidots-token", urlSafe, 30, 40, 0},
	{"CCIPAT_", "circleci-token", word, 40, 80, 0},
	{"CCIPRJ_", "circleci-token", word, 40, 80, 0},
	{"CFPAT-", "contentful-token", urlSafe, 43, 43, 0},
	{"CLOJARS_", "clojars-token", lowAlnum, 60, 60, 0},
	{"EAACEdEose0cBA", "facebook-token", alnum, 20, long, 0},
	{"EAA", "facebook-token", alnum, 80, long, digits},
	{"EAAA", "square-token", urlSafe, 56, 62, digits},
	{"EZAK", "easypost-key", alnum, 54, 54, 0},
	{"EZTK", "easypost-key", alnum, 54, 54, 0},
	{"FLWSECK-", "flutterwave-key", urlSafe, 32, 50, 0},
	{"FLWSECK_TEST-", "flutterwave-key", urlSafe, 12, 50, 0},
	{"FLWPUBK_TEST-", "flutterwave-key", urlSafe, 12, 50, 0},
	{"GOCSPX-", "google-client-secret", urlSafe, 28, 28, 0},
	{"GR1348941", "gitlab-token", urlSafe, 20, 22, letters},
	{"HRKU-", "heroku-key", urlSafe, 30, 80, 0},
	{"LTAI", "alibaba-access-key", alnum, 12, 26, digits},
	{"NRAK-", "newrelic-key", upAlnum, 27, 27, 0},
	{"NRAL-", "newrelic-key", urlSafe, 20, 50, 0},
	{"NRII-", "newrelic-key", urlSafe, 32, 32, 0},
	{"NRIQ-", "newrelic-key", urlSafe, 20, 50, 0},
	{"NRJS-", "newrelic-key", hexLow, 19, 19, 0},
	{"NRRA-", "newrelic-key", hexAny, 42, 42, 0},
	{"NRSP-", "newrelic-key", urlSafe, 20, 50, 0},
	{"NF-", "nightfall-key", upAlnum, 32, 32, digits},
	{"PMAK-", "postman-key", hexAny | dash, 59, 59, 0},
	{"PMAT-", "postman-key", upAlnum, 26, 26, 0},
	{"SG.", "sendgrid-key", dotted, 60, 70, digits},
	{"SK", "twilio-key", hexLow, 32, 32, digits},
	{"TRY_", "tryton-key", urlSafe, 40, 60, digits},
	{"VF.", "voiceflow-key", alnum | dot, 30, 60, digits},
	{"Wework_", "wework-key", urlSafe, 40, 60, digits},
}

var shapesAtoC = []shape{
	{"api_org_", "huggingface-token", letters, 34, 34, 0},
	{"access-sandbox-", "plaid-token", hexLow | dash, 36, 36, 0},
	{"access-development-", "plaid-token", hexLow | dash, 36, 36, 0},
	{"access-production-", "plaid-token", hexLow | dash, 36, 36, 0},
	{"apify_api_", "apify-token", alnum, 30, 50, 0},
	{"b_", "beamer-token", base64s | underline | dash, 44, 44, 0},
	{"bkua_", "buildkite-token", hexLow, 40, 40, 0},
	{"cu_", "checkly-key", hexLow, 32, 40, digits},
	{"cio", "crates-token", alnum, 32, 32, digits},
	{"cmVmdGtu", "artifactory-token", alnum, 56, 56, 0},
	{"cfk_", "cloudflare-key", alnum, 35, 60, digits},
	{"cfut_", "cloudflare-key", alnum, 35, 60, digits},
	{"cfat_", "cloudflare-key", alnum, 35, 60, digits},
	{"csk-", "cerebras-key", alnum, 40, 60, digits},
	{"coda_", "coda-key", urlSafe, 30, 50, digits},
}

var shapesDtoF = []shape{
	{"da2-", "appsync-key", lowAlnum, 26, 26, 0},
	{"dapi", "databricks-token", hexLow | dash, 32, 34, digits},
	{"dckr_pat_", "docker-token", urlSafe, 27, 27, 0},
	{"dckr_oat_", "docker-token", urlSafe, 32, 32, 0},
	{"dnkey-", "defined-key", urlSafe, 50, 90, 0},
	{"dop_v1_", "digitalocean-token", hexLow, 64, 64, 0},
	{"doo_v1_", "digitalocean-token", hexLow, 64, 64, 0},
	{"dor_v1_", "digitalocean-token", hexLow, 64, 64, 0},
	{"dp.", "doppler-token", dotted, 43, 70, digits},
	{"dt0c01.", "dynatrace-token", upAlnum | dot, 80, 95, digits},
	{"dt0s01.", "dynatrace-token", upAlnum | dot, 70, 95, digits},
	{"duffel_", "duffel-token", urlSafe | equals, 43, 60, 0},
	{"dG9r", "intercom-token", base64s | underline | dash, 50, 60, digits},
	{"e2b_", "e2b-key", hexLow, 40, 40, digits},
	{"fc-", "firecrawl-key", hexLow, 32, 32, digits},
	{"figd_", "figma-token", urlSafe, 40, 50, 0},
	{"figo_", "figma-token", urlSafe, 40, 50, 0},
	{"figu_", "figma-token", urlSafe, 40, 50, 0},
	{"fio-u-", "frameio-token", urlSafe | equals, 64, 64, 0},
	{"fm1_", "fly-token", base64s | underline | dash, 80, long, 0},
	{"fm1r_", "fly-token", base64s | underline | dash, 80, long, 0},
	{"fm2_", "fly-token", base64s | underline | dash, 80, long, 0},
	{"fo1_", "fly-token", urlSafe, 43, 43, 0},
	{"fw_", "fireworks-key", alnum, 20, 30, digits},
}

var shapesG = []shape{
	{"ghp_", "github-token", alnum, 36, 255, 0},
	{"gho_", "github-token", alnum, 36, 255, 0},
	{"ghu_", "github-token", alnum, 36, 255, 0},
	{"ghs_", "github-token", urlSafe | dot, 36, 600, 0},
	{"ghr_", "github-token", alnum, 36, 255, 0},
	{"github_pat_", "github-token", word, 22, 255, digits},
	{"glpat-", "gitlab-token", dotted, 20, 320, digits},
	{"gldt-", "gitlab-token", dotted, 20, 80, 0},
	{"glrt-", "gitlab-token", dotted, 20, 320, digits},
	{"glrtr-", "gitlab-token", dotted, 20, 80, 0},
	{"glcbt-", "gitlab-token", dotted, 20, 80, 0},
	{"glptt-", "gitlab-token", dotted, 20, 80, 0},
	{"glft-", "gitlab-token", dotted, 20, 80, 0},
	{"glimt-", "gitlab-token", dotted, 20, 80, 0},
	{"glagent-", "gitlab-token", dotted, 20, 80, 0},
	{"gloas-", "gitlab-token", dotted, 20, 80, 0},
	{"glsoat-", "gitlab-token", dotted, 20, 80, 0},
	{"glffct-", "gitlab-token", dotted, 20, 80, 0},
	{"glc_", "grafana-token", base64s, 32, 400, 0},
	{"glsa_", "grafana-token", word, 41, 41, 0},
	{"gsk_", "groq-key", alnum, 48, 56, digits},
}

var shapesHtoL = []shape{
	{"hf_", "huggingface-token", alnum, 34, 40, uppers},
	{"hvs.", "vault-token", urlSafe, 24, 130, digits},
	{"hvb.", "vault-token", urlSafe, 100, 330, digits},
	{"hvr.", "vault-token", urlSafe, 24, 330, digits},
	{"hcaik_", "honeycomb-key", lowAlnum | underline, 50, 70, digits},
	{"hcalk_", "honeycomb-key", lowAlnum | underline, 50, 70, digits},
	{"ico-", "infracost-key", alnum, 32, 32, 0},
	{"ion_", "ionic-token", alnum, 42, 42, 0},
	{"jina_", "jina-key", urlSafe, 50, 70, digits},
	{"key-", "mailgun-key", hexLow, 32, 32, 0},
	{"lin_api_", "linear-key", alnum, 40, 40, 0},
	{"lin_oauth_", "linear-key", alnum, 40, 70, 0},
	{"live_", "live-key", word, 30, 80, digits},
	{"lsv2_pt_", "langsmith-key", hexLow | underline, 40, 60, 0},
	{"lsv2_sk_", "langsmith-key", hexLow | underline, 40, 60, 0},
	{"ls__", "langsmith-key", hexLow, 32, 32, digits},
}

var shapesMtoO = []shape{
	{"napi_", "neon-key", lowAlnum, 50, 70, digits},
	{"nfp_", "netlify-token", alnum, 36, 40, 0},
	{"npm_", "npm-token", alnum, 36, 36, 0},
	{"ntn_", "notion-token", alnum, 43, 50, 0},
	{"nvapi-", "nvidia-key", urlSafe, 60, 70, 0},
	{"odt_", "dependencytrack-key", alnum, 32, 40, 0},
	{"ops_eyJ", "onepassword-token", base64s, 200, long, 0},
	{"oy2", "nuget-key", lowAlnum, 43, 43, digits},
}

var shapesPtoR = []shape{
	{"pa-", "voyage-key", urlSafe, 43, 43, digits},
	{"pat-na1-", "hubspot-token", hexAny | dash, 36, 36, 0},
	{"pat-na2-", "hubspot-token", hexAny | dash, 36, 36, 0},
	{"pat-eu1-", "hubspot-token", hexAny | dash, 36, 36, 0},
	{"pcsk_", "pinecone-key", word, 60, 75, 0},
	{"phx_", "posthog-key", word, 43, 48, 0},
	{"plain_", "plain-key", urlSafe, 40, 80, digits},
	{"pnu_", "prefect-key", alnum, 36, 36, 0},
	{"pplx-", "perplexity-key", alnum, 48, 56, 0},
	{"pscale_", "planetscale-token", anyToken, 32, 80, digits},
	{"pul-", "pulumi-token", hexLow, 40, 40, 0},
	{"pypi-AgEI", "pypi-token", urlSafe, 50, long, 0},
	{"p8e-", "adobe-secret", urlSafe, 32, 32, 0},
	{"pk.eyJ", "mapbox-token", dotted, 60, 200, 0},
	{"px-api-", "newrelic-key", hexLow | dash, 36, 36, 0},
	{"r8_", "replicate-token", alnum, 37, 46, 0},
	{"rdme_", "readme-key", lowAlnum, 70, 70, 0},
	{"re_", "resend-key", word, 24, 40, digits},
	{"rk_live_", "stripe-key", alnum, 10, 120, 0},
	{"rk_test_", "stripe-key", alnum, 10, 120, 0},
	{"rnd_", "render-key", alnum, 28, 40, digits},
	{"rootly_", "rootly-key", hexLow, 64, 64, 0},
	{"rpa_", "runpod-key", upAlnum, 40, 50, digits},
	{"rubygems_", "rubygems-key", hexLow, 48, 48, 0},
	{"rzp_live_", "razorpay-key", alnum, 14, 24, 0},
}

var shapesS = []shape{
	{"sk-ant-", "anthropic-key", urlSafe, 40, 140, digits},
	{"sk-proj-", "openai-key", urlSafe, 20, 220, digits},
	{"sk-svcacct-", "openai-key", urlSafe, 20, 220, digits},
	{"sk-admin-", "openai-key", urlSafe, 20, 220, digits},
	{"sk-None-", "openai-key", urlSafe, 20, 220, digits},
	{"sk-or-v1-", "openrouter-key", hexLow, 64, 64, 0},
	{"sk-lf-", "langfuse-key", hexLow | dash, 36, 36, 0},
	{"sk-helicone-", "helicone-key", urlSafe, 20, 60, digits},
	{"sk-", "model-provider-key", alnum, 20, 128, digits},
	{"sk-", "model-provider-key", urlSafe, 40, 200, digits},
	{"sk_live_", "stripe-key", alnum, 10, 120, 0},
	{"sk_test_", "stripe-key", alnum, 10, 120, 0},
	{"sk_prod_", "stripe-key", alnum, 10, 120, digits},
	{"sk_", "elevenlabs-key", hexLow, 48, 48, 0},
	{"sk_", "secret-key", alnum, 24, 60, digits},
	{"sk.eyJ", "mapbox-token", dotted, 60, 200, 0},
	{"s-s4t2ud-", "intra42-secret", hexLow, 64, 64, 0},
	{"s-s4t2af-", "intra42-secret", hexLow, 64, 64, 0},
	{"sb_secret_", "supabase-key", urlSafe, 20, 60, digits},
	{"sbp_", "supabase-key", lowAlnum, 40, 44, digits},
	{"sec-c-", "pubnub-key", alnum | dash, 36, 64, digits},
	{"sub-c-", "pubnub-key", lowAlnum | dash, 36, 36, digits},
	{"secret_", "notion-token", alnum, 43, 43, digits},
	{"secret-live-", "stytch-secret", urlSafe | equals, 30, 60, digits},
	{"sgp_", "sourcegraph-token", alnum, 40, 64, digits},
	{"sgp_local_", "sourcegraph-token", hexAny, 40, 40, 0},
	{"sha256~", "openshift-token", urlSafe, 43, 43, digits},
	{"shpat_", "shopify-token", hexAny, 32, 32, 0},
	{"shpca_", "shopify-token", hexAny, 32, 32, 0},
	{"shppa_", "shopify-token", hexAny, 32, 32, 0},
	{"shpss_", "shopify-token", hexAny, 32, 32, 0},
	{"shltm_", "flexport-key", word, 40, 40, 0},
	{"shippo_live_", "shippo-token", hexAny, 40, 40, 0},
	{"shippo_test_", "shippo-token", hexAny, 40, 40, 0},
	{"sl.", "dropbox-token", urlSafe, 100, 200, digits},
	{"slk_", "sourcegraph-token", hexLow, 64, 64, 0},
	{"sm_pat_", "settlemint-token", alnum, 16, 16, 0},
	{"sm_aat_", "settlemint-token", alnum, 16, 16, 0},
	{"sm_sat_", "settlemint-token", alnum, 16, 16, 0},
	{"sntrys_eyJ", "sentry-token", anyToken, 60, 400, 0},
	{"sntryu_", "sentry-token", hexLow, 64, 64, 0},
	{"sq0atp-", "square-token", urlSafe, 22, 22, 0},
	{"sq0csp-", "square-token", urlSafe, 43, 43, 0},
	{"sqa_", "sonar-token", hexLow, 40, 40, 0},
	{"sqp_", "sonar-token", hexLow, 40, 40, 0},
	{"squ_", "sonar-token", hexLow, 40, 40, 0},
}

var shapesTtoZ = []shape{
	{"t1.", "yandex-token", dotted | equals, 80, 300, digits},
	{"test_", "test-key", word, 35, 60, digits},
	{"tfp_", "typeform-token", dotted | equals, 40, 80, 0},
	{"tkn.v1_", "teamwork-token", base64s, 60, 80, digits},
	{"tk-us-", "scalingo-token", urlSafe, 48, 48, 0},
	{"tskey-", "tailscale-key", urlSafe, 20, 80, digits},
	{"tss_", "thunderstore-token", alnum, 30, 60, digits},
	{"tvly-", "tavily-key", urlSafe, 20, 60, digits},
	{"v1.0-", "cloudflare-key", hexLow | dash, 150, 180, digits},
	{"vcp_", "vercel-token", alnum, 24, 70, digits},
	{"waka_", "wakatime-key", hexLow | dash, 36, 36, 0},
	{"wandb_v1_", "wandb-key", word, 40, 100, digits},
	{"whsec_", "webhook-secret", base64s, 24, 70, 0},
	{"xai-", "xai-key", urlSafe, 60, 90, 0},
	{"xapp-", "slack-token", urlSafe, 25, 160, digits},
	{"xkeysib-", "brevo-key", lowAlnum | dash, 70, 90, 0},
	{"xoxa-", "slack-token", urlSafe, 20, 260, digits},
	{"xoxb-", "slack-token", urlSafe, 20, 260, digits},
	{"xoxc-", "slack-token", urlSafe, 20, 260, digits},
	{"xoxd-", "slack-token", urlSafe, 20, 260, digits},
	{"xoxe-", "slack-token", urlSafe, 20, 260, digits},
	{"xoxe.xoxb-", "slack-token", urlSafe, 20, 300, digits},
	{"xoxe.xoxp-", "slack-token", urlSafe, 20, 300, digits},
	{"xoxo-", "slack-token", urlSafe, 20, 260, digits},
	{"xoxp-", "slack-token", urlSafe, 20, 260, digits},
	{"xoxr-", "slack-token", urlSafe, 20, 260, digits},
	{"xoxs-", "slack-token", urlSafe, 20, 260, digits},
	{"y0_", "yandex-token", urlSafe, 50, 70, digits},
	{"zpka_", "zuplo-key", word, 36, 50, digits},
}

var shapesOther = []shape{
	{"1//0", "google-refresh-token", urlSafe, 40, 130, 0},
	{"2//0", "google-refresh-token", urlSafe, 40, 130, 0},
	{"$2a$", "password-hash", alnum | dot | slash, 0, 2, 0},
	{"$2b$", "password-hash", alnum | dot | slash, 0, 2, 0},
	{"$2y$", "password-hash", alnum | dot | slash, 0, 2, 0},
	{"$1$", "password-hash", alnum | dot | slash, 1, 16, 0},
	{"$5$", "password-hash", alnum | dot | slash | equals, 1, 24, 0},
	{"$6$", "password-hash", alnum | dot | slash | equals, 1, 24, 0},
	{"$apr1$", "password-hash", alnum | dot | slash, 1, 16, 0},
	{"$argon2", "password-hash", lowAlnum, 1, 3, 0},
	{"$krb5", "kerberos-hash", lowAlnum, 3, 8, 0},
}
