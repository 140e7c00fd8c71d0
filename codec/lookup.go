package codec

import "bytes"

// Lookup returns the raw value of the named member of a JSON object, or nil
// when there is none. The text must be valid, as the params of a Message are;
// of a name that stands twice the first is taken. The slice aliases object.
func Lookup(object []byte, name string) []byte {
	start, end := LookupAt(object, name)
	if end == 0 {
		return nil
	}
	return object[start:end:end]
}

// LookupAt is Lookup for the place of the value: it is object[start:end], and
// end is 0 when there is none.
func LookupAt(object []byte, name string) (start, end int) {
	if len(object) == 0 || object[0] != '{' {
		return 0, 0
	}
	s := scanner{maxDepth: unbounded}
	i := blanks(object, 1)
	for i < len(object) && object[i] == '"' {
		key := i
		if i = s.str(object, i+1); i < 0 {
			return 0, 0
		}
		found := string(object[key+1:i-1]) == name
		if !found && bytes.IndexByte(object[key:i], '\\') >= 0 {
			found = string(AppendUnquoted(nil, object[key:i])) == name
		}
		i = blanks(object, i)
		start, end = s.value(object, i+1, 0)
		if end < 0 {
			return 0, 0
		}
		if found {
			return start, end
		}
		if i = blanks(object, end); i < len(object) && object[i] == ',' {
			i = blanks(object, i+1)
		}
	}
	return 0, 0
}

// Elements appends the raw elements of a JSON array to dst. The text must be
// valid; the elements alias it.
func Elements(dst [][]byte, array []byte) [][]byte {
	if len(array) == 0 || array[0] != '[' {
		return dst
	}
	s := scanner{maxDepth: unbounded}
	for i := blanks(array, 1); i < len(array) && array[i] != ']'; {
		start, end := s.value(array, i, 0)
		if end < 0 {
			return dst
		}
		dst = append(dst, array[start:end:end])
		if i = blanks(array, end); i < len(array) && array[i] == ',' {
			i++
		}
	}
	return dst
}
