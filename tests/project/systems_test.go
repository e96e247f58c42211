package project

import (
	"os"
	"testing"

	"golang.org/x/tools/go/packages"
)

// Every package and its tests are sound Go for the systems on which CI does not run. Type-checking takes a tenth of the time of a
// build for each system.
func TestOtherSystemsTypeCheck(t *testing.T) {
	for _, system := range []string{"darwin", "windows"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			list, err := packages.Load(&packages.Config{
				Mode:  packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedTypes,
				Env:   append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
				Tests: true,
			}, "./...")
			if err != nil || len(list) < 100 {
				t.Fatalf("%d packages: %v", len(list), err)
			}
			packages.Visit(list, nil, func(p *packages.Package) {
				for _, err := range p.Errors {
					t.Error(err)
				}
			})
		})
	}
}
