// Package e2e runs real coding agents, from their npm packages, against a
// model service of its own on loopback, and looks at what their first request
// holds. It also types into them in a pseudo-terminal. `make e2e` runs it; it needs npm and its registry, so `make test`
// does not.
package e2e
