package memory

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// lessonPrefix begins the keys whose values are lessons: a map of issue,
// outcome and fix.
const lessonPrefix = "lessons."

// checkValue refuses values that memctl does not write.
func checkValue(key string, v memfile.Value) error {
	if strings.HasPrefix(key, lessonPrefix) && !isLesson(v) {
		return refuse(ruleValue, "a lesson has an issue, an outcome and a fix",
			"memctl add "+key+" --issue TEXT --outcome TEXT --fix TEXT")
	}
	switch v.Kind {
	case memfile.List:
		if len(v.List) == 0 || slices.ContainsFunc(v.List, notScalar) {
			return refuse(ruleValue, "a list holds one or more plain values, no lists or maps")
		}
	case memfile.Map:
		if len(v.Map) == 0 || slices.ContainsFunc(v.Map, func(f memfile.Field) bool { return notScalar(f.Value) }) {
			return refuse(ruleValue, "a map holds one or more plain values, no lists or maps")
		}
	case memfile.Null:
		return refuse(ruleValue, "there is no value to remember")
	case memfile.String:
		if strings.TrimSpace(v.Text) == "" {
			return refuse(ruleValue, "there is no value to remember")
		}
	}
	return nil
}

func notScalar(v memfile.Value) bool { return v.Kind == memfile.List || v.Kind == memfile.Map }

func isLesson(v memfile.Value) bool {
	if v.Kind != memfile.Map || len(v.Map) != 3 {
		return false
	}
	for i, name := range []string{"issue", "outcome", "fix"} {
		if v.Map[i].Name != name {
			return false
		}
	}
	return true
}
