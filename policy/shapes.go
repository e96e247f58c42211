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
	{"ABSK", "aws-bedrock-key", base64s, 100, 140, digits},
	{"AKLT", "volcengine-key", alnum | equals, 40, 60, digits},
	{"AIK_", "aikido-token", urlSafe, 40, 90, digits},
	{"AAAAAAAAAAAAAAAAAAAAA", "twitter-bearer-token", alnum, 40, 120, digits},
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
	{"API-", "octopus-api-key", upAlnum, 25, 27, digits},
	{"APP_USR-", "mercadopago-token", urlSafe, 40, 90, digits},
	{"AC", "twilio-account", hexLow, 32, 32, digits},
	{"A3-", "onepassword-secret-key", upAlnum | dash, 30, 44, digits},
}

var shapesUpper = []shape{
	{"CCDB1_", "cockroachdb-key", word, 40, 80, digits},
	{"FwoGZXIvYXdz", "aws-session-token", base64s, 100, long, digits},
	{"IQoJb3JpZ2luX2Vj", "aws-session-token", base64s, 100, long, digits},
	{"IGQ", "instagram-token", urlSafe, 100, 300, digits},
	{"SCW", "scaleway-access-key", upAlnum, 17, 17, digits},
	{"WPL_AP1.", "linkedin-secret", dotted | equals, 16, 60, digits},
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
	{"aio_", "adafruit-key", alnum, 28, 28, digits},
	{"amzn.mws.", "amazon-mws-token", hexAny | dash, 36, 36, digits},
	{"amzn1.oa2-cs.v1.", "amazon-client-secret", hexAny, 64, 64, digits},
	{"bce-v3/ALTAK-", "baidu-key", alnum | slash, 40, 90, digits},
	{"bedrock-api-key-", "aws-bedrock-key", base64s, 40, long, digits},
	{"bkaj_", "buildkite-token", word, 36, 60, digits},
	{"bkct_", "buildkite-token", word, 36, 80, digits},
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
	{"ddp_", "deno-token", alnum, 36, 36, digits},
	{"ddo_", "deno-token", alnum, 36, 36, digits},
	{"dkea", "databricks-token", hexLow, 32, 32, digits},
	{"dose", "databricks-token", hexLow, 32, 32, digits},
	{"essu_", "elastic-key", base64s, 50, 120, digits},
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
	{"gAAAAA", "fernet-token", urlSafe | equals, 80, long, digits},
	{"gitea_", "gitea-token", hexLow, 40, 40, digits},
	{"glwt-", "gitlab-token", dotted, 20, 320, digits},
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
	{"hawk.", "stackhawk-key", dotted, 40, 45, digits},
	{"infisical_", "infisical-token", dotted, 40, 200, digits},
	{"jca_", "jumpcloud-key", alnum, 36, 36, digits},
	{"live_pub_", "lob-key", alnum, 24, 40, digits},
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
	{"mdb_sa_sk_", "mongodb-secret", urlSafe, 30, 60, digits},
	{"mka_", "mergify-key", urlSafe, 40, 90, digits},
	{"mob-", "launchdarkly-key", hexLow | dash, 36, 36, digits},
	{"nyk_v0_", "nylas-key", alnum, 60, 70, digits},
	{"o.", "pushbullet-token", alnum, 32, 32, digits},
	{"os_v2_app_", "onesignal-key", lowAlnum, 80, 120, digits},
	{"os_v2_org_", "onesignal-key", lowAlnum, 80, 120, digits},
	{"ovsxat_", "openvsx-token", urlSafe, 30, 60, digits},
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
	{"pat.", "harness-token", dotted, 60, 80, digits},
	{"pdl_live_apikey_", "paddle-key", word, 30, 70, digits},
	{"pdl_sdbx_apikey_", "paddle-key", word, 30, 70, digits},
	{"permit_key_", "permit-key", alnum, 60, 90, digits},
	{"pk_prod_", "courier-key", alnum, 28, 28, digits},
	{"pnb_", "prefect-key", alnum, 36, 36, digits},
	{"polar_oat_", "polar-token", alnum, 32, 60, digits},
	{"pts_", "pangea-token", lowAlnum, 32, 32, digits},
	{"pub-c-", "pubnub-key", lowAlnum | dash, 36, 36, digits},
	{"rk_prod_", "stripe-key", alnum, 10, 120, digits},
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
