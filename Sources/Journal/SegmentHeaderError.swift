/// Why 512 bytes are not a segment header that this program can read.
enum SegmentHeaderError: Error, Equatable {
    case damaged
    case version(UInt32)
}
