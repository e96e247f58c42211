package labels

// The confidences, from the lowest.
const (
	Low    = "low"
	Medium = "medium"
	High   = "high"
)

// ConfidenceRank orders confidences: 1 for low, 2 for medium, 3 for high, and 0 for any other text.
func ConfidenceRank(confidence string) int {
	switch confidence {
	case High:
		return 3
	case Medium:
		return 2
	case Low:
		return 1
	}
	return 0
}

// ConfidenceAt returns the confidence of a rank; low below 1, high above 3.
func ConfidenceAt(rank int) string {
	return [...]string{Low, Low, Medium, High}[min(max(rank, 0), 3)]
}
