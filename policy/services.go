package policy

import "strings"

// serviced finds machine-made tokens that stand right after the name of a
// service whose keys have no shape of their own: "wandb 0123…", "codecov: …".
// Text without a long token costs nothing.
func serviced(hits []hit, text, lower string) []hit {
	for i := 0; i < len(text); {
		n := span(text[i:], opaques, len(text))
		if n < 20 {
			i += max(n, 1)
			continue
		}
		start := i
		if k := strings.LastIndexByte(strings.TrimRight(text[i:i+n], "="), '='); k >= 0 {
			start += k + 1
		}
		i += n
		if v := text[start:i]; len(v) <= maxValue && opaque(v, 20) && count(v).digits >= 4 && !placeholder(v) && serviceBefore(lower, start) {
			hits = append(hits, hit{start, i, "service-key"})
		}
	}
	return hits
}

// serviceBefore reports whether one of the two words before a place, or a part
// of one, is the name of a service.
func serviceBefore(lower string, at int) bool {
	end := at
	for range 2 {
		for end > 0 && class(lower[end-1])&lowAlnum == 0 {
			if c := lower[end-1]; c == '\n' || c == '/' || c == '#' || at-end > 8 {
				return false
			}
			end--
		}
		start := end
		for start > 0 && end-start < 24 && class(lower[start-1])&lowAlnum != 0 {
			start--
		}
		if w := lower[start:end]; w != "" && strings.Contains(services, " "+w+" ") {
			return true
		}
		end = start
	}
	return false
}

// services issue keys of plain hexadecimal or letters. Names that are common
// words besides are left out.
const services = " wandb codecov coveralls codeclimate codacy snyk sonarqube sonarcloud appveyor circleci travisci buildkite drone " +
	"cloudsmith packagecloud bintray jfrog artifactory quay gemfury rapid7 shodan censys virustotal abuseipdb securitytrails urlscan greynoise " +
	"heroku netlify vercel linode vultr scaleway hetzner ovh fastly cloudflare cloudinary imgix uploadcare dnsimple gandi namecheap godaddy " +
	"datadog newrelic loggly logzio papertrail rollbar bugsnag honeybadger airbrake raygun sentry pagerduty opsgenie statuspage pingdom " +
	"twilio nexmo vonage plivo messagebird mailgun mailchimp mailjet sparkpost postmark sendinblue klaviyo iterable customerio onesignal pusher pubnub ably " +
	"algolia typesense meilisearch elasticsearch amplitude mixpanel optimizely launchdarkly contentful storyblok prismic sanity ghost airtable notion coda " +
	"openai anthropic cohere mistral replicate huggingface deepgram assemblyai elevenlabs pinecone weaviate stability clarifai monkeylearn diffbot " +
	"stripe paypal braintree adyen mollie razorpay plaid coinbase binance kraken bitfinex bittrex infura alchemy etherscan moralis coinapi coinmarketcap " +
	"mapbox mapquest tomtom openweather openweathermap weatherstack aviationstack ipstack ipinfo ipapi maxmind geocodio graphhopper opencage locationiq " +
	"newsapi giphy pexels unsplash tmdb omdb spoonacular rapidapi scraperapi scrapingbee serpapi browserstack saucelabs lambdatest blazemeter " +
	"zendesk intercom freshdesk hubspot salesforce zoho pipedrive asana trello clickup jotform typeform calendly zapier okta auth0 onelogin jumpcloud " +
	"dropbox box spotify lastfm vimeo twitch trakt strava fitbit particleio adafruit losant ubidots blynk thingspeak "
