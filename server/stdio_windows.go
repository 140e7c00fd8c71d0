package server

import (
	"os"

	"golang.org/x/sys/windows"
)

// claimStdout keeps the handle of standard output for the protocol and makes
// standard error the standard output of everybody else in this process and of
// the children to come. C code that has opened its own stdout before is out
// of reach on this platform.
func claimStdout() (out *os.File, restore func(), err error) {
	old := os.Stdout
	handle, err := windows.GetStdHandle(windows.STD_OUTPUT_HANDLE)
	if err != nil {
		return nil, nil, err
	}
	stray := os.Stderr
	if handle == windows.Handle(os.Stderr.Fd()) {
		if stray, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
			return nil, nil, err
		}
	}
	if err = windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(stray.Fd())); err != nil {
		return nil, nil, err
	}
	os.Stdout = stray
	return old, func() {
		windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, handle)
		os.Stdout = old
		if stray != os.Stderr {
			stray.Close()
		}
	}, nil
}
