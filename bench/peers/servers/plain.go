package main

import (
	"bufio"
	"encoding/json"
)

// scanned is a request as one writes it down for encoding/json.
type scanned struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type scannedAnswer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *scannedError   `json:"error,omitempty"`
}

type scannedError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// serveScanner is the server that one writes by hand in ten minutes: lines of
// bufio.Scanner, one after the other through encoding/json.
func serveScanner(s *stream) error {
	in := bufio.NewScanner(s.in)
	in.Buffer(nil, 64<<20)
	out := json.NewEncoder(s.out)
	for in.Scan() {
		var q scanned
		if err := json.Unmarshal(in.Bytes(), &q); err != nil || q.Version != "2.0" {
			if err := out.Encode(scannedAnswer{Version: "2.0", Error: &scannedError{-32700, "Parse error"}}); err != nil {
				return err
			}
			continue
		}
		result, err := answer(q.Method, q.Params, func(into any) error { return json.Unmarshal(q.Params, into) })
		if q.ID == nil {
			continue
		}
		a := scannedAnswer{Version: "2.0", ID: q.ID, Result: result}
		if err != nil {
			a.Error = &scannedError{-32601, err.Error()}
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
	return in.Err()
}

// serveCopier gives each line back as it came and looks at nothing but its
// end. It writes when it would have to wait for input. That is the least that
// any server of lines has to do.
func serveCopier(s *stream) error {
	in := bufio.NewReaderSize(s.in, 64<<10)
	out := bufio.NewWriterSize(s.out, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			return out.Flush()
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
		if in.Buffered() == 0 && err == nil {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}
