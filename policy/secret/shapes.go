package secret

import "github.com/memctl/memctl/policy/chars"

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
	{"ABSK", "aws-bedrock-key", chars.Base64, 100, 140, chars.Digits},
	{"AKLT", "volcengine-key", chars.Alnum | chars.Equals, 40, 60, chars.Digits},
	{"AIK_", "aikido-token", chars.URLSafe, 40, 90, chars.Digits},
	{"AAAAAAAAAAAAAAAAAAAAA", "twitter-bearer-token", chars.Alnum, 40, 120, chars.Digits},
	{"AKIA", "aws-access-key", chars.UpAlnum, 16, 16, chars.Digits},
	{"ASIA", "aws-access-key", chars.UpAlnum, 16, 16, chars.Digits},
	{"ABIA", "aws-access-key", chars.UpAlnum, 16, 16, chars.Digits},
	{"ACCA", "aws-access-key", chars.UpAlnum, 16, 16, chars.Digits},
	{"A3T", "aws-access-key", chars.UpAlnum, 17, 17, 0},
	{"AIza", "google-api-key", chars.URLSafe, 35, 35, 0},
	{"AQ.Ab", "google-api-key", chars.URLSafe, 40, 80, chars.Digits},
	{"AGE-SECRET-KEY-1", "age-secret-key", chars.UpAlnum, 58, 58, 0},
	{"AKCp", "artifactory-key", chars.Alnum, 60, 80, 0},
	{"AKID", "tencent-secret-id", chars.Alnum, 32, 36, chars.Digits},
	{"ATATT3", "atlassian-token", chars.AnyToken, 50, 300, 0},
	{"ATCTT3", "atlassian-token", chars.AnyToken, 50, 300, 0},
	{"ATBB", "bitbucket-app-password", chars.Alnum, 32, 40, chars.Digits},
	{"ATTA", "trello-token", chars.HexAny, 60, 80, chars.Digits},
	{"AQVN", "yandex-cloud-key", chars.URLSafe, 35, 38, chars.Digits},
	{"API-", "octopus-api-key", chars.UpAlnum, 25, 27, chars.Digits},
	{"APP_USR-", "mercadopago-token", chars.URLSafe, 40, 90, chars.Digits},
	{"AC", "twilio-account", chars.HexLow, 32, 32, chars.Digits},
	{"A3-", "onepassword-secret-key", chars.UpAlnum | chars.Dash, 30, 44, chars.Digits},
}

var shapesUpper = []shape{
	{"CCDB1_", "cockroachdb-key", chars.Word, 40, 80, chars.Digits},
	{"FwoGZXIvYXdz", "aws-session-token", chars.Base64, 100, long, chars.Digits},
	{"IQoJb3JpZ2luX2Vj", "aws-session-token", chars.Base64, 100, long, chars.Digits},
	{"IGQ", "instagram-token", chars.URLSafe, 100, 300, chars.Digits},
	{"SCW", "scaleway-access-key", chars.UpAlnum, 17, 17, chars.Digits},
	{"WPL_AP1.", "linkedin-secret", chars.Dotted | chars.Equals, 16, 60, chars.Digits},
	{"BBFF-", "ubidots-token", chars.URLSafe, 30, 40, 0},
	{"CCIPAT_", "circleci-token", chars.Word, 40, 80, 0},
	{"CCIPRJ_", "circleci-token", chars.Word, 40, 80, 0},
	{"CFPAT-", "contentful-token", chars.URLSafe, 43, 43, 0},
	{"CLOJARS_", "clojars-token", chars.LowAlnum, 60, 60, 0},
	{"EAACEdEose0cBA", "facebook-token", chars.Alnum, 20, long, 0},
	{"EAA", "facebook-token", chars.Alnum, 80, long, chars.Digits},
	{"EAAA", "square-token", chars.URLSafe, 56, 62, chars.Digits},
	{"EZAK", "easypost-key", chars.Alnum, 54, 54, 0},
	{"EZTK", "easypost-key", chars.Alnum, 54, 54, 0},
	{"FLWSECK-", "flutterwave-key", chars.URLSafe, 32, 50, 0},
	{"FLWSECK_TEST-", "flutterwave-key", chars.URLSafe, 12, 50, 0},
	{"FLWPUBK_TEST-", "flutterwave-key", chars.URLSafe, 12, 50, 0},
	{"GOCSPX-", "google-client-secret", chars.URLSafe, 28, 28, 0},
	{"GR1348941", "gitlab-token", chars.URLSafe, 20, 22, chars.Letters},
	{"HRKU-", "heroku-key", chars.URLSafe, 30, 80, 0},
	{"LTAI", "alibaba-access-key", chars.Alnum, 12, 26, chars.Digits},
	{"NRAK-", "newrelic-key", chars.UpAlnum, 27, 27, 0},
	{"NRAL-", "newrelic-key", chars.URLSafe, 20, 50, 0},
	{"NRII-", "newrelic-key", chars.URLSafe, 32, 32, 0},
	{"NRIQ-", "newrelic-key", chars.URLSafe, 20, 50, 0},
	{"NRJS-", "newrelic-key", chars.HexLow, 19, 19, 0},
	{"NRRA-", "newrelic-key", chars.HexAny, 42, 42, 0},
	{"NRSP-", "newrelic-key", chars.URLSafe, 20, 50, 0},
	{"NF-", "nightfall-key", chars.UpAlnum, 32, 32, chars.Digits},
	{"PMAK-", "postman-key", chars.HexAny | chars.Dash, 59, 59, 0},
	{"PMAT-", "postman-key", chars.UpAlnum, 26, 26, 0},
	{"SG.", "sendgrid-key", chars.Dotted, 60, 70, chars.Digits},
	{"SK", "twilio-key", chars.HexLow, 32, 32, chars.Digits},
	{"TRY_", "tryton-key", chars.URLSafe, 40, 60, chars.Digits},
	{"VF.", "voiceflow-key", chars.Alnum | chars.Dot, 30, 60, chars.Digits},
	{"Wework_", "wework-key", chars.URLSafe, 40, 60, chars.Digits},
}

var shapesAtoC = []shape{
	{"aio_", "adafruit-key", chars.Alnum, 28, 28, chars.Digits},
	{"amzn.mws.", "amazon-mws-token", chars.HexAny | chars.Dash, 36, 36, chars.Digits},
	{"amzn1.oa2-cs.v1.", "amazon-client-secret", chars.HexAny, 64, 64, chars.Digits},
	{"bce-v3/ALTAK-", "baidu-key", chars.Alnum | chars.Slash, 40, 90, chars.Digits},
	{"bedrock-api-key-", "aws-bedrock-key", chars.Base64, 40, long, chars.Digits},
	{"bkaj_", "buildkite-token", chars.Word, 36, 60, chars.Digits},
	{"bkct_", "buildkite-token", chars.Word, 36, 80, chars.Digits},
	{"api_org_", "huggingface-token", chars.Letters, 34, 34, 0},
	{"access-sandbox-", "plaid-token", chars.HexLow | chars.Dash, 36, 36, 0},
	{"access-development-", "plaid-token", chars.HexLow | chars.Dash, 36, 36, 0},
	{"access-production-", "plaid-token", chars.HexLow | chars.Dash, 36, 36, 0},
	{"apify_api_", "apify-token", chars.Alnum, 30, 50, 0},
	{"b_", "beamer-token", chars.Base64 | chars.Underline | chars.Dash, 44, 44, 0},
	{"bkua_", "buildkite-token", chars.HexLow, 40, 40, 0},
	{"cu_", "checkly-key", chars.HexLow, 32, 40, chars.Digits},
	{"cio", "crates-token", chars.Alnum, 32, 32, chars.Digits},
	{"cmVmdGtu", "artifactory-token", chars.Alnum, 56, 56, 0},
	{"cfk_", "cloudflare-key", chars.Alnum, 35, 60, chars.Digits},
	{"cfut_", "cloudflare-key", chars.Alnum, 35, 60, chars.Digits},
	{"cfat_", "cloudflare-key", chars.Alnum, 35, 60, chars.Digits},
	{"csk-", "cerebras-key", chars.Alnum, 40, 60, chars.Digits},
	{"coda_", "coda-key", chars.URLSafe, 30, 50, chars.Digits},
}

var shapesDtoF = []shape{
	{"ddp_", "deno-token", chars.Alnum, 36, 36, chars.Digits},
	{"ddo_", "deno-token", chars.Alnum, 36, 36, chars.Digits},
	{"dkea", "databricks-token", chars.HexLow, 32, 32, chars.Digits},
	{"dose", "databricks-token", chars.HexLow, 32, 32, chars.Digits},
	{"essu_", "elastic-key", chars.Base64, 50, 120, chars.Digits},
	{"da2-", "appsync-key", chars.LowAlnum, 26, 26, 0},
	{"dapi", "databricks-token", chars.HexLow | chars.Dash, 32, 34, chars.Digits},
	{"dckr_pat_", "docker-token", chars.URLSafe, 27, 27, 0},
	{"dckr_oat_", "docker-token", chars.URLSafe, 32, 32, 0},
	{"dnkey-", "defined-key", chars.URLSafe, 50, 90, 0},
	{"dop_v1_", "digitalocean-token", chars.HexLow, 64, 64, 0},
	{"doo_v1_", "digitalocean-token", chars.HexLow, 64, 64, 0},
	{"dor_v1_", "digitalocean-token", chars.HexLow, 64, 64, 0},
	{"dp.", "doppler-token", chars.Dotted, 43, 70, chars.Digits},
	{"dt0c01.", "dynatrace-token", chars.UpAlnum | chars.Dot, 80, 95, chars.Digits},
	{"dt0s01.", "dynatrace-token", chars.UpAlnum | chars.Dot, 70, 95, chars.Digits},
	{"duffel_", "duffel-token", chars.URLSafe | chars.Equals, 43, 60, 0},
	{"dG9r", "intercom-token", chars.Base64 | chars.Underline | chars.Dash, 50, 60, chars.Digits},
	{"e2b_", "e2b-key", chars.HexLow, 40, 40, chars.Digits},
	{"fc-", "firecrawl-key", chars.HexLow, 32, 32, chars.Digits},
	{"figd_", "figma-token", chars.URLSafe, 40, 50, 0},
	{"figo_", "figma-token", chars.URLSafe, 40, 50, 0},
	{"figu_", "figma-token", chars.URLSafe, 40, 50, 0},
	{"fio-u-", "frameio-token", chars.URLSafe | chars.Equals, 64, 64, 0},
	{"fm1_", "fly-token", chars.Base64 | chars.Underline | chars.Dash, 80, long, 0},
	{"fm1r_", "fly-token", chars.Base64 | chars.Underline | chars.Dash, 80, long, 0},
	{"fm2_", "fly-token", chars.Base64 | chars.Underline | chars.Dash, 80, long, 0},
	{"fo1_", "fly-token", chars.URLSafe, 43, 43, 0},
	{"fw_", "fireworks-key", chars.Alnum, 20, 30, chars.Digits},
}

var shapesG = []shape{
	{"gAAAAA", "fernet-token", chars.URLSafe | chars.Equals, 80, long, chars.Digits},
	{"gitea_", "gitea-token", chars.HexLow, 40, 40, chars.Digits},
	{"glwt-", "gitlab-token", chars.Dotted, 20, 320, chars.Digits},
	{"ghp_", "github-token", chars.Alnum, 36, 255, 0},
	{"gho_", "github-token", chars.Alnum, 36, 255, 0},
	{"ghu_", "github-token", chars.Alnum, 36, 255, 0},
	{"ghs_", "github-token", chars.URLSafe | chars.Dot, 36, 600, 0},
	{"ghr_", "github-token", chars.Alnum, 36, 255, 0},
	{"github_pat_", "github-token", chars.Word, 22, 255, chars.Digits},
	{"glpat-", "gitlab-token", chars.Dotted, 20, 320, chars.Digits},
	{"gldt-", "gitlab-token", chars.Dotted, 20, 80, 0},
	{"glrt-", "gitlab-token", chars.Dotted, 20, 320, chars.Digits},
	{"glrtr-", "gitlab-token", chars.Dotted, 20, 80, 0},
	{"glcbt-", "gitlab-token", chars.Dotted, 20, 80, 0},
	{"glptt-", "gitlab-token", chars.Dotted, 20, 80, 0},
	{"glft-", "gitlab-token", chars.Dotted, 20, 80, 0},
	{"glimt-", "gitlab-token", chars.Dotted, 20, 80, 0},
	{"glagent-", "gitlab-token", chars.Dotted, 20, 80, 0},
	{"gloas-", "gitlab-token", chars.Dotted, 20, 80, 0},
	{"glsoat-", "gitlab-token", chars.Dotted, 20, 80, 0},
	{"glffct-", "gitlab-token", chars.Dotted, 20, 80, 0},
	{"glc_", "grafana-token", chars.Base64, 32, 400, 0},
	{"glsa_", "grafana-token", chars.Word, 41, 41, 0},
	{"gsk_", "groq-key", chars.Alnum, 48, 56, chars.Digits},
}

var shapesHtoL = []shape{
	{"hawk.", "stackhawk-key", chars.Dotted, 40, 45, chars.Digits},
	{"infisical_", "infisical-token", chars.Dotted, 40, 200, chars.Digits},
	{"jca_", "jumpcloud-key", chars.Alnum, 36, 36, chars.Digits},
	{"live_pub_", "lob-key", chars.Alnum, 24, 40, chars.Digits},
	{"hf_", "huggingface-token", chars.Alnum, 34, 40, chars.Uppers},
	{"hvs.", "vault-token", chars.URLSafe, 24, 130, chars.Digits},
	{"hvb.", "vault-token", chars.URLSafe, 100, 330, chars.Digits},
	{"hvr.", "vault-token", chars.URLSafe, 24, 330, chars.Digits},
	{"hcaik_", "honeycomb-key", chars.LowAlnum | chars.Underline, 50, 70, chars.Digits},
	{"hcalk_", "honeycomb-key", chars.LowAlnum | chars.Underline, 50, 70, chars.Digits},
	{"ico-", "infracost-key", chars.Alnum, 32, 32, 0},
	{"ion_", "ionic-token", chars.Alnum, 42, 42, 0},
	{"jina_", "jina-key", chars.URLSafe, 50, 70, chars.Digits},
	{"key-", "mailgun-key", chars.HexLow, 32, 32, 0},
	{"lin_api_", "linear-key", chars.Alnum, 40, 40, 0},
	{"lin_oauth_", "linear-key", chars.Alnum, 40, 70, 0},
	{"live_", "live-key", chars.Word, 30, 80, chars.Digits},
	{"lsv2_pt_", "langsmith-key", chars.HexLow | chars.Underline, 40, 60, 0},
	{"lsv2_sk_", "langsmith-key", chars.HexLow | chars.Underline, 40, 60, 0},
	{"ls__", "langsmith-key", chars.HexLow, 32, 32, chars.Digits},
}

var shapesMtoO = []shape{
	{"mdb_sa_sk_", "mongodb-secret", chars.URLSafe, 30, 60, chars.Digits},
	{"mka_", "mergify-key", chars.URLSafe, 40, 90, chars.Digits},
	{"mob-", "launchdarkly-key", chars.HexLow | chars.Dash, 36, 36, chars.Digits},
	{"nyk_v0_", "nylas-key", chars.Alnum, 60, 70, chars.Digits},
	{"o.", "pushbullet-token", chars.Alnum, 32, 32, chars.Digits},
	{"os_v2_app_", "onesignal-key", chars.LowAlnum, 80, 120, chars.Digits},
	{"os_v2_org_", "onesignal-key", chars.LowAlnum, 80, 120, chars.Digits},
	{"ovsxat_", "openvsx-token", chars.URLSafe, 30, 60, chars.Digits},
	{"napi_", "neon-key", chars.LowAlnum, 50, 70, chars.Digits},
	{"nfp_", "netlify-token", chars.Alnum, 36, 40, 0},
	{"npm_", "npm-token", chars.Alnum, 36, 36, 0},
	{"ntn_", "notion-token", chars.Alnum, 43, 50, 0},
	{"nvapi-", "nvidia-key", chars.URLSafe, 60, 70, 0},
	{"odt_", "dependencytrack-key", chars.Alnum, 32, 40, 0},
	{"ops_eyJ", "onepassword-token", chars.Base64, 200, long, 0},
	{"oy2", "nuget-key", chars.LowAlnum, 43, 43, chars.Digits},
}

var shapesPtoR = []shape{
	{"pat.", "harness-token", chars.Dotted, 60, 80, chars.Digits},
	{"pdl_live_apikey_", "paddle-key", chars.Word, 30, 70, chars.Digits},
	{"pdl_sdbx_apikey_", "paddle-key", chars.Word, 30, 70, chars.Digits},
	{"permit_key_", "permit-key", chars.Alnum, 60, 90, chars.Digits},
	{"pk_prod_", "courier-key", chars.Alnum, 28, 28, chars.Digits},
	{"pnb_", "prefect-key", chars.Alnum, 36, 36, chars.Digits},
	{"polar_oat_", "polar-token", chars.Alnum, 32, 60, chars.Digits},
	{"pts_", "pangea-token", chars.LowAlnum, 32, 32, chars.Digits},
	{"pub-c-", "pubnub-key", chars.LowAlnum | chars.Dash, 36, 36, chars.Digits},
	{"rk_prod_", "stripe-key", chars.Alnum, 10, 120, chars.Digits},
	{"pa-", "voyage-key", chars.URLSafe, 43, 43, chars.Digits},
	{"pat-na1-", "hubspot-token", chars.HexAny | chars.Dash, 36, 36, 0},
	{"pat-na2-", "hubspot-token", chars.HexAny | chars.Dash, 36, 36, 0},
	{"pat-eu1-", "hubspot-token", chars.HexAny | chars.Dash, 36, 36, 0},
	{"pcsk_", "pinecone-key", chars.Word, 60, 75, 0},
	{"phx_", "posthog-key", chars.Word, 43, 48, 0},
	{"plain_", "plain-key", chars.URLSafe, 40, 80, chars.Digits},
	{"pnu_", "prefect-key", chars.Alnum, 36, 36, 0},
	{"pplx-", "perplexity-key", chars.Alnum, 48, 56, 0},
	{"pscale_", "planetscale-token", chars.AnyToken, 32, 80, chars.Digits},
	{"pul-", "pulumi-token", chars.HexLow, 40, 40, 0},
	{"pypi-AgEI", "pypi-token", chars.URLSafe, 50, long, 0},
	{"p8e-", "adobe-secret", chars.URLSafe, 32, 32, 0},
	{"pk.eyJ", "mapbox-token", chars.Dotted, 60, 200, 0},
	{"px-api-", "newrelic-key", chars.HexLow | chars.Dash, 36, 36, 0},
	{"r8_", "replicate-token", chars.Alnum, 37, 46, 0},
	{"rdme_", "readme-key", chars.LowAlnum, 70, 70, 0},
	{"re_", "resend-key", chars.Word, 24, 40, chars.Digits},
	{"rk_live_", "stripe-key", chars.Alnum, 10, 120, 0},
	{"rk_test_", "stripe-key", chars.Alnum, 10, 120, 0},
	{"rnd_", "render-key", chars.Alnum, 28, 40, chars.Digits},
	{"rootly_", "rootly-key", chars.HexLow, 64, 64, 0},
	{"rpa_", "runpod-key", chars.UpAlnum, 40, 50, chars.Digits},
	{"rubygems_", "rubygems-key", chars.HexLow, 48, 48, 0},
	{"rzp_live_", "razorpay-key", chars.Alnum, 14, 24, 0},
}
