import Glibc
import SystemPackage

/// The decision on the first place of a segment without a good frame: rows F1 to F10 of Format.md's
/// decision table, as one pure function.
enum TailDecision: Equatable {
    /// Nothing was ever written here.
    case end
    /// One frame was being written when the power failed; it was never acknowledged. Its last
    /// nonzero sector ends at `end`.
    case torn(end: Int)
    /// Damage that a crash cannot cause.
    case damaged(Damage.Reason, detail: String)

    /// - Parameter isLast: No later segment exists.
    static func decide(
        fault: FrameFault, at offset: Int, isLast: Bool, survey: TailSurvey
    ) -> TailDecision {
        switch fault {
        case .impossible:
            return .damaged(.frameImpossible, detail: "a frame header has impossible lengths")
        case .sequence(let found, let expected):
            return .damaged(.sequence, detail: "the frame holds \(found), expected \(expected)")
        case .chain:
            return .damaged(.chain, detail: "the frame does not follow the one before it")
        case .records:
            return .damaged(.records, detail: "the frame's record lengths do not add up")
        case .header:
            guard survey.nonzeroEnd != nil else { return .end }
            return tail(
                at: offset, isLast: isLast, survey, reach: offset + Format.frameBytesCeiling)
        case .body(let frameBytes):
            return tail(at: offset, isLast: isLast, survey, reach: offset + frameBytes)
        }
    }

    /// Decides on a frame that is not whole. The writer starts a frame only after the previous one
    /// was synced, so a power cut can have torn this one only if nothing was written after it.
    private static func tail(
        at offset: Int, isLast: Bool, _ survey: TailSurvey, reach: Int
    ) -> TailDecision {
        guard isLast else {
            return .damaged(.frame, detail: "no whole frame, although a later segment exists")
        }
        if let next = survey.headerAfter {
            return .damaged(.frame, detail: "no whole frame, although one begins at \(next)")
        }
        let end = survey.nonzeroEnd ?? offset
        if end > reach {
            return .damaged(
                .strayBytes, detail: "bytes up to \(end), where one torn frame ends by \(reach)")
        }
        return .torn(end: max(end, offset + Format.sectorBytes))
    }
}

/// The content of a segment from the first place without a good frame to the end.
struct TailSurvey: Equatable {
    /// The end of the last sector that is not all zeros; nil if everything is zero.
    var nonzeroEnd: Int?
    /// The first frame header with a right salted checksum after that place.
    var headerAfter: Int?

    /// Reads everything from `offset` to the end of the segment.
    static func look(
        _ window: SegmentWindow, from offset: Int, header: SegmentHeader
    ) throws(Errno) -> TailSurvey {
        var survey = TailSurvey()
        var place = offset
        while place < header.segmentBytes {
            let bytes = try window.bytes(at: place, needed: Format.sectorBytes)
            if bytes.isEmpty { break }
            survey.add(bytes, at: place, from: offset, salt: header.salt)
            place += bytes.count
        }
        return survey
    }

    /// Adds a piece of whole sectors at the offset `place`.
    private mutating func add(
        _ bytes: UnsafeRawBufferPointer, at place: Int, from offset: Int, salt: Salt
    ) {
        if Self.isZero(bytes) { return }
        var start = 0
        while start < bytes.count {
            let end = min(start + Format.sectorBytes, bytes.count)
            let sector = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            if !Self.isZero(sector) {
                nonzeroEnd = place + end
                if headerAfter == nil, place + start > offset,
                    FrameHeader.decode(sector, salt: salt) != nil
                {
                    headerAfter = place + start
                }
            }
            start = end
        }
    }

    /// Compares the bytes with themselves, one place further: memcmp is the fastest way.
    private static func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        return bytes[0] == 0 && memcmp(base, base + 1, bytes.count - 1) == 0
    }
}
