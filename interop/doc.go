// Package interop has no code of its own: its tests put software that others
// wrote on the far end of linerpc. README.md says how to run them, and
// docs/compatibility.md what they saw.
//
// Read it in this order:
//
//	main_test.go           what is built and installed before the first test
//	tap_test.go            the process between a client and a server
//	wire_test.go           what the tap saw, and that both processes are gone
//	habits_test.go         how a client writes
//	script_test.go         programs of Node, run and killed
//	visit_test.go          what an MCP client does, and must get to see
//	serve_*_test.go        clients of others against our servers
//	party_*_test.go        servers with libraries of others, which the test is when started as one
//	drive_test.go          our client with a server of others, and how it is closed
//	drive_mcp_test.go      what an MCP client needs beside our client
//	drive_*_test.go        our client against servers of others, and ours
//	compatibility_test.go  docs/compatibility.md
package interop
