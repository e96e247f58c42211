package integrity_test

import (
	"os"
	"testing"

	"github.com/memctl/memctl/tests/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.RunTests(m)) }
