package secret

// documented reports whether a credential is one that its issuer prints in its
// own samples, where everybody has it. They stand here by digest, so that other
// scanners are not alarmed by this file.
func documented(credential string) bool {
	switch digest(credential) {
	// Google's sample keys, from firebase-android-sdk.
	case 0xc800bf2100a21c67, 0x6acbd824bd32bbd4, 0x29a336c7244f48dd, 0x08b545962adc7d8b, 0xe7666dbb286c6c2e,
		0x12113c2e6979f447, 0x828818f833257868, 0x6835e0f288832a40, 0x816cd10fdb11ead0, 0xadbd04e3fe1b6d49,
		0xdb9422f1dd332dcc, 0x515cb771a4238032, 0xe754678ea2b14ef1, 0xc73f1e61952e6987, 0x294c63f8344d5df1:
		return true
	}
	return false
}

// digest is FNV-1a, which costs nothing to start.
func digest(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}
