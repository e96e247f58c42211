package secret

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// serviced finds machine-made tokens that stand right after the name of a
// service whose keys have no shape of their own: "wandb 0123…", "codecov: …".
// Text without a long token costs nothing.
func serviced(hits []Hit, text, lower string) []Hit {
	for i := 0; i < len(text); {
		n := chars.Span(text[i:], chars.Opaque, len(text))
		if n < 20 {
			i += max(n, 1)
			continue
		}
		start := i
		if k := strings.LastIndexByte(strings.TrimRight(text[i:i+n], "="), '='); k >= 0 {
			start += k + 1
		}
		i += n
		if name := chars.Span(lower[start:i], chars.Lowers, 24); name >= 4 && start+name < i && chars.Class(lower[start+name])&(chars.Dash|chars.Underline) != 0 && isService(lower[start:start+name]) {
			// refiner-… : the service's name is the first part of the token.
			if v := text[start+name+1 : i]; len(v) <= maxValue && (opaque(v, 24) || checksum(v)) && chars.Count(v).Digits >= 4 && !placeholder(v) {
				hits = append(hits, Hit{start, i, "service-key"})
				continue
			}
		}
		if v := text[start:i]; len(v) <= maxValue && opaque(v, 20) && chars.Count(v).Digits >= 4 && !placeholder(v) && !kebab(v) && serviceBefore(lower, start) {
			hits = append(hits, Hit{start, i, "service-key"})
		}
	}
	return hits
}

// serviceBefore reports whether one of the two words before a place, or a part
// of one, is the name of a service.
func serviceBefore(lower string, at int) bool {
	end := at
	for range 2 {
		for end > 0 && chars.Class(lower[end-1])&chars.LowAlnum == 0 {
			if c := lower[end-1]; c == '\n' || c == '/' || c == '#' || at-end > 8 {
				return false
			}
			end--
		}
		start := end
		for start > 0 && end-start < 24 && chars.Class(lower[start-1])&chars.LowAlnum != 0 {
			start--
		}
		switch w := lower[start:end]; w {
		case "release", "commit", "version", "build", "revision", "sha", "ref", "deploy", "deployment", "image", "tag", "digest":
			return false // what follows names a state of the code
		default:
			if len(w) >= 3 && isService(w) {
				return true
			}
		}
		end = start
	}
	return false
}

// kebab: words joined by dashes, as addresses of previews and machines are.
func kebab(v string) bool {
	parts, plain := 0, 0
	for p := range strings.SplitSeq(v, "-") {
		parts++
		if Has(p, chars.Lowers) && chars.Span(p, chars.Lowers, len(p)) == len(p) && readable(p) {
			plain++
		}
	}
	return parts >= 4 && plain*2 >= parts
}

func isService(w string) bool { return strings.Contains(services, " "+w+" ") }

// services issue keys of plain hexadecimal or letters. Names that are common
// words besides are left out.
const services = " " +
	"clickhouse confluent metabase splunk grafana " +
	"ably abstractapi abuseipdb adafruit adyen adzuna agora airbrake airtable aiven akamai alchemy alchemyapi algolia alphavantage amadeus " +
	"amplitude anthropic apideck apilayer appcues appfollow appsflyer appveyor artifactory asana assemblyai auth0 autodesk avaza aviationstack " +
	"aylien azuracast backblaze bamboohr baremetrics beebole binance bintray bitfinex bitly bitmex bittrex blazemeter blockcypher blynk bombbomb " +
	"boostnote braintree braintreepayments brandfetch browserless browserstack bugherd bugsnag buildkite buttercms bynder caflou calendly " +
	"calorieninja campayn cannyio carbonintensity cashboard censys chatfuel checkmarx circleci clarifai clearbit clicksend clickup clockify " +
	"cloudelements cloudflare cloudimage cloudinary cloudsmith cloudways cloze coda codacy codeclimate codecov codemagic cohere coinapi coinbase " +
	"coinlayer coinlib coinmarketcap commercejs companyhub contentful convertkit convier countrylayer coveralls cryptocompare currencyfreaks " +
	"currencylayer currencyscoop customerguru customerio dailyco dandelion datadog debounce deepai deepgram delighted demio diffbot diggernaut " +
	"digitalocean discogs dnscheck dnsimple documo doppler dovico dronahq drone dropbox duply dwolla dyspatch eagleeye ecostruxure edamam edenai " +
	"eightxeight elasticemail elasticsearch elevenlabs enablex etherscan eventbrite exchangerate facepp fastly fibery figma fileio finage " +
	"financialmodelingprep findl finnhub fitbit flatio fleetbase flickr flightapi flightlabs flightstats flowflu flutterwave fmfw formbucket " +
	"formcraft formio foursquare frameio freshbooks freshdesk fullstory fxmarket gandi geckoboard gemfury gengo geoapify geocodify geocodio " +
	"geoipifi getgeoapi getgist getresponse ghost giphy glassnode gocanvas gocardless godaddy goodday graphcms graphhopper greynoise groovehq " +
	"gtmetrix guardianapi gumroad gyazo happyscribe hellosign helpcrunch helpscout hereapi heroku hetzner heydealer hiveage holidayapi " +
	"honeybadger honeycomb htmltopdf hubspot huggingface hypertrack iconfinder iexcloud imagekit imgix infura insightly instabot instamojo " +
	"intercom interseller intrinio invoiceocean ipapi ipgeolocation ipify ipinfo ipinfodb ipquality ipstack iterable jfrog jotform jumio " +
	"jumpcloud juro kaltura keenio kickbox klaviyo knapsack kontent kraken kucoin kylas lambdatest languagelayer lastfm launchdarkly leadfeeder " +
	"lemlist lemonsqueezy lendflow lessannoyingcrm lexigram linenotify linkpreview linode liveagent livestorm loadmill lob locationiq loggly " +
	"loginradius logzio lokalise losant loyverse lunchmoney luno madkudu magicbell mailboxlayer mailchimp mailerlite mailgun mailjet mailmodo " +
	"mailsac mandrill mapbox mapquest marketstack mattermost mavenlink maxmind meaningcloud mediastack meilisearch meistertask mesibo messagebird " +
	"metaapi metrilo midise mindmeister miro mistral mite mixmax mixpanel mockaroo mollie monday monkeylearn moonclerk moosend moralis mrticktock " +
	"mux myfreshworks myintervals namecheap nasdaq nethunt netlify neutrinoapi newrelic newsapi nexmo nftport ngrok nicereply nightfall notion " +
	"numverify nutritionix nylas nytimes oanda okta omdb omnisend onedesk onelogin onepagecrm onesignal onfleet oopspam openai opencage openuv " +
	"openweather openweathermap opsgenie optidash optimizely overloop ovh owm packagecloud pagerduty paperform papertrail paralleldots parsehub " +
	"parseur particleio partnerstack passbase pastebin paymo paymongo paypal paystack pdflayer pdfshift peopledatalabs pepipost percy pexels " +
	"pinata pinecone pingdom pipedream pipedrive pivotaltracker pixabay plaid planview planyo plivo podio pollsapi polygon postageapi postbacks " +
	"posthog postmark powrbot prismic prodpad prospectcrm protocolsio proxycrawl pubnub purestake pushbullet pusher pushover qase qualaroo quay " +
	"qubole quickmetrics rapid7 rapidapi ravenpack rawg raygun razorpay reachmail readme rechargepayments recruitee refiner rentman repairshopr " +
	"replicate replyio requestfinance restpack revampcrm ringcentral ritekit rocketreach rollbar route4me rownd runrunit runscope salesblink " +
	"salescookie salesflare salesforce salesmate sanity satismeter saucelabs scaleway scrapeowl scraperapi scraperbox scraperly scrapestack " +
	"scrapingant scrapingbee scrutinizer securitytrails selectpdf semantria sendbird sendgrid sendinblue sentry serpapi sheety sherpadesk shipday " +
	"shippo shodan shotstack shutterstock sigopt simplesat simplynoted simvoly sinch sirv siteleaf skrapp skybiometry slack smartsheets smooch " +
	"snipcart snowflake snyk sonar sonarcloud sonarqube sourcegraph sparkpost speechmatics spoonacular sportradar sportsmonk spotify squarespace " +
	"squareup sslmate stability statuscake statuspage stitchdata stockdata stormboard stormglass storyblok storychief strava stripe stripo stytch " +
	"sugester sumologic supernotes surveybot surveysparrow survicate swiftype tallyfy tatum taxjar teamgate teamwork technicalanalysis teletype " +
	"telnyx textmagic theoddsapi thingspeak thinkific ticketmaster tickettailor tiingo timecamp tly tmdb todoist toggl tomtom tradier trakt " +
	"transferwise travelpayouts travisci trello twelvedata twilio twitch tyntec typeform typesense ubidots uclassify unifyid unplugg unsplash " +
	"upcdatabase uplead uploadcare uproc uptimerobot upwave urlscan userflow userstack vatlayer vbout vercel verimail veriphone versioneye " +
	"viewneo vimeo virustotal visualcrossing vonage vouchery vpnapi vultr vyte walkscore wandb weatherstack weaviate webex webflow webscraper " +
	"webscraping wepay whoxy wistia workstack worldweather wrike yandex yelp ynab youneedabudget yousign zapier zendesk zenscrape zenserp " +
	"zerobounce zerotier zipapi zipbooks zipcodebase zoho zonka "
