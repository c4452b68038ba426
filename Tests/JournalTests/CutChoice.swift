import TestSupport

/// The part of the unsynced data that a power cut keeps.
struct CutChoice: CustomStringConvertible {
    enum Pieces: Equatable {
        case none
        case all
        /// The first pieces of every file.
        case prefix(Int)
        /// All pieces except the first ones: the disk wrote the end first.
        case suffix(Int)
        case random
    }

    enum Names: Equatable {
        /// Unsynced names are lost.
        case strict
        /// Every name is kept, as on a disk that writes early.
        case eager
        /// A random subset of the changes, as if the disk wrote them in any order.
        case random
    }

    let pieces: Pieces
    let names: Names
    let seed: UInt64
    private var generator: SeededGenerator

    init(_ pieces: Pieces, _ names: Names, seed: UInt64 = 0) {
        self.pieces = pieces
        self.names = names
        self.seed = seed
        generator = SeededGenerator(crashSeed: seed)
    }

    mutating func keepsPiece(_ index: Int, of count: Int) -> Bool {
        switch pieces {
        case .none: false
        case .all: true
        case .prefix(let length): index < length
        case .suffix(let length): index >= length
        case .random: Bool.random(using: &generator)
        }
    }

    mutating func keepsChange() -> Bool {
        switch names {
        case .strict: false
        case .eager: true
        case .random: Bool.random(using: &generator)
        }
    }

    var description: String { "pieces \(pieces), names \(names), seed \(seed)" }

    /// The choices to try on a disk with `pending` unsynced pieces: nothing, everything, every
    /// prefix (at most `prefixesMax`), and `randomCount` random sets of sectors.
    static func all(pending: Int, prefixesMax: Int, randomCount: Int, seed: UInt64) -> [CutChoice] {
        var choices = [
            CutChoice(.none, .strict), CutChoice(.none, .eager), CutChoice(.all, .strict),
            CutChoice(.all, .eager),
        ]
        if pending > 1 {
            let stride = max(1, pending / prefixesMax)
            for length in Swift.stride(from: 1, to: pending, by: stride) {
                choices.append(CutChoice(.prefix(length), length % 2 == 0 ? .strict : .eager))
                choices.append(CutChoice(.suffix(length), length % 2 == 0 ? .eager : .strict))
            }
        }
        for index in 0..<randomCount {
            choices.append(CutChoice(.random, .random, seed: seed &* 1000 &+ UInt64(index)))
        }
        return choices
    }
}

extension SeededGenerator {
    /// The seeds of the crash tests begin here: their number is sufficient to detect each planted
    /// defect.
    init(crashSeed seed: UInt64) { self.init(seed: seed &+ 0x9e37_79b9_7f4a_7c15) }
}
