package sqlstore

import (
	"bytes"
	"encoding/binary"
)

// Sizes of a write-ahead log.
const (
	walHeader   = 32
	frameHeader = 24
	minPage     = 512
	maxPage     = 64 << 10
)

// maxPages is the number of pages beyond which the header of a frame cannot be meant: 512 GB of our
// pages.
const maxPages = 1 << 26

// walk is what a log holds.
//
// A log is written in cycles. When all of it is in the database, the next transaction begins at the
// log's start again, under a new salt, and frames of the earlier cycle remain behind it.
type walk struct {
	legible bool // the header is sound
	page    int  // the size of a page

	frames       int // up to the end of the last transaction that fits: what SQLite uses
	transactions int

	// Frames of this cycle behind the first one that does not fit, and how many transactions may
	// have ended in them.
	lost, lostTransactions int
}

// end is the size of what SQLite uses.
func (w walk) end() int64 {
	if w.frames == 0 {
		return 0
	}
	return walHeader + int64(w.frames)*w.frameSize()
}

func (w walk) frameSize() int64 { return frameHeader + int64(w.page) }

// walkLog reads a log to its end, beyond frames that do not fit. Where the header does not say the
// size of a page, it is the database's.
func walkLog(log []byte, page int) walk {
	w := walk{page: page}
	if size := int(binary.BigEndian.Uint32(log[8:])); isPage(size) {
		w.page = size
	}
	order, sum, sound := readHeader(log)
	w.legible = sound
	salt := log[16:24]
	if !sound && len(log) >= walHeader+frameHeader {
		salt = log[walHeader+8 : walHeader+16] // the header's may be what is damaged
	}
	fits, ours := sound, sound // the frame before, or the header, fits, and is of this cycle
	inTransaction := 0
	for rest := log[walHeader:]; len(rest) >= int(w.frameSize()); rest = rest[w.frameSize():] {
		// The sum of a frame goes on from the one before, and leaves out the salt. So it tells the
		// frames of this cycle even where their salt is damaged.
		linked := ours &&
			checksum(order, checksum(order, sum, rest[:8]), rest[frameHeader:w.frameSize()]) == sumAt(rest[16:])
		salted := bytes.Equal(rest[8:16], salt)
		ours = salted || linked
		fits = fits && salted && linked
		sum = sumAt(rest[16:])
		ends := binary.BigEndian.Uint32(rest[4:]) != 0
		switch {
		case fits:
			if inTransaction++; ends {
				w.frames, w.transactions, inTransaction = w.frames+inTransaction, w.transactions+1, 0
			}
		case ours || !plausible(rest):
			if w.lost++; ends || !plausible(rest) {
				w.lostTransactions++
			}
		}
	}
	if w.lost > 0 {
		w.lost += inTransaction // what was never committed is nothing lost by itself
	}
	return w
}

// readHeader returns the byte order of a log's checksums and the header's own, and whether the
// header is sound.
func readHeader(log []byte) (order binary.ByteOrder, sum [2]uint32, sound bool) {
	order = binary.LittleEndian
	switch binary.BigEndian.Uint32(log) {
	case 0x377f0682:
	case 0x377f0683:
		order = binary.BigEndian
	default:
		return order, sum, false
	}
	sum = checksum(order, [2]uint32{}, log[:24])
	return order, sum, isPage(int(binary.BigEndian.Uint32(log[8:]))) && sum == sumAt(log[24:])
}

func isPage(size int) bool { return size >= minPage && size <= maxPage && size&(size-1) == 0 }

// plausible reports whether SQLite may have written the header of a frame, in this cycle or an
// earlier one. A page number or a size that no database has is damage, whatever the salt is.
func plausible(frame []byte) bool {
	return binary.BigEndian.Uint32(frame) <= maxPages && binary.BigEndian.Uint32(frame[4:]) <= maxPages
}

func sumAt(b []byte) [2]uint32 {
	return [2]uint32{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}
}

// checksum is SQLite's, of a multiple of eight bytes.
func checksum(order binary.ByteOrder, sum [2]uint32, data []byte) [2]uint32 {
	for ; len(data) >= 8; data = data[8:] {
		sum[0] += order.Uint32(data) + sum[1]
		sum[1] += order.Uint32(data[4:]) + sum[0]
	}
	return sum
}
