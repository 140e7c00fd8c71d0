package client

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a job object, which holds the leader and whatever it starts.
type group struct {
	job windows.Handle
	pid uint32
}

// killOnClose makes a job end with its last handle, so that no server outlives
// this program, however that ends. It stands here and not on a stack because
// its address is passed as a number.
var killOnClose = windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
	BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
		LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
	},
}

// newGroup makes a job and has cmd start with its thread suspended: before it
// is in the job it must not start anything.
func newGroup(cmd *exec.Cmd) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateJobObject", err)
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&killOnClose)), uint32(unsafe.Sizeof(killOnClose)))
	if err != nil {
		windows.CloseHandle(job)
		return nil, os.NewSyscallError("SetInformationJobObject", err)
	}
	var attr syscall.SysProcAttr
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	// A console event can be sent to a process group only.
	attr.CreationFlags |= windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP
	cmd.SysProcAttr = &attr
	return &group{job: job}, nil
}

// adopt puts the leader into the job and lets it run.
func (g *group) adopt(leader *os.Process) error {
	g.pid = uint32(leader.Pid)
	var failed error
	err := leader.WithHandle(func(handle uintptr) {
		failed = windows.AssignProcessToJobObject(g.job, windows.Handle(handle))
	})
	if err = errors.Join(err, os.NewSyscallError("AssignProcessToJobObject", failed)); err != nil {
		return err
	}
	return resume(g.pid)
}

// resume lets the threads of a suspended process run. Package os closes the
// handle of the main thread, so it has to be looked for.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return os.NewSyscallError("CreateToolhelp32Snapshot", err)
	}
	defer windows.CloseHandle(snapshot)
	found := false
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return os.NewSyscallError("OpenThread", err)
		}
		_, err = windows.ResumeThread(thread)
		windows.CloseHandle(thread)
		if err != nil {
			return os.NewSyscallError("ResumeThread", err)
		}
		found = true
	}
	if !found {
		return errors.New("client: the thread of the new process was not found")
	}
	return nil
}

// terminate sends CTRL_BREAK, the one console event that can be meant for a
// single process group.
func (g *group) terminate() error {
	return os.NewSyscallError("GenerateConsoleCtrlEvent",
		windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, g.pid))
}

func (g *group) kill() error {
	return os.NewSyscallError("TerminateJobObject", windows.TerminateJobObject(g.job, 1))
}

// close kills what the leader has left behind, and is the last use of g.
func (g *group) close() {
	windows.TerminateJobObject(g.job, 1)
	windows.CloseHandle(g.job)
}

// awaitExit waits until p has exited and leaves it to be reaped.
func awaitExit(p *os.Process) bool {
	var event uint32
	var failed error
	err := p.WithHandle(func(handle uintptr) {
		event, failed = windows.WaitForSingleObject(windows.Handle(handle), windows.INFINITE)
	})
	return err == nil && failed == nil && event == windows.WAIT_OBJECT_0
}
