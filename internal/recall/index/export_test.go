package index

import "slices"

// Resealed is a segment with two bytes of its sections changed, behind checksums that are
// right again. It panics where the segment is not sound.
func Resealed(data []byte, at uint32, x byte, at2 uint32, y byte) []byte {
	sound, err := openFile(data)
	if err != nil {
		panic(err)
	}
	end := len(data) - len(sound.table)
	bad := slices.Clone(data[:end])
	body := uint32(end - headerBytes)
	bad[headerBytes+int(at%body)] ^= x
	bad[headerBytes+int(at2%body)] ^= y
	var lens [sections]int
	for i, p := range sound.parts {
		lens[i] = p.size
	}
	return writeHeader(bad, lens)
}

// Check reads every block and every doc: the checked sweep.
func (x *Index) Check() error {
	for _, s := range x.segments {
		for section := range sections {
			if _, err := s.file.readSection(section); err != nil {
				return err
			}
		}
		for n := range s.docCount {
			if _, err := s.readDoc(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// ErrVersion is errVersion.
var ErrVersion = errVersion
