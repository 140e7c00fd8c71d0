// Package drive puts load on servers of JSON-RPC 2.0 and measures what that
// costs them.
//
// A [Child] is a server in a process of its own, behind OS pipes. It is given
// a [Load] a slice at a time, so that several children can take turns; a
// [Sample] is what a slice took. The figure to compare is CPU per message: it
// is the clock of the child's process, which whoever else uses the machine
// does not move, and which does not count in ticks.
//
// A [Memory] is a server that serves itself in memory, in a process of its own
// as well, so that its allocations are its own.
//
// Read it in this order:
//
//	load.go      what is sent
//	child.go     the process and its pipes
//	slice.go     one turn: requests in flight, notifications, batches
//	burst.go     one turn of the other kind: a burst, its answers, the next
//	answer.go    what comes back is what it should be
//	proc.go      system calls and memory of a process
//	memory.go    servers that serve themselves
//	figure.go    numbers that may be missing, medians and ratios
package drive
