/// A thing with an id, about which facts are collected.
protocol Joinable {
    var id: String { get }

    /// Adds what `other` knows about the thing with the same id.
    mutating func join(_ other: Self)
}

/// Arrays of such things are sorted by the bytes of their ids, each id once. They are nearly always
/// one element long, where an array is smaller and quicker than a dictionary, and their order is
/// the order on disk.
extension Array where Element: Joinable {
    mutating func join(_ element: Element) {
        let index = insertionIndex(of: element.id)
        if index < endIndex, utf8Order(self[index].id, element.id) == 0 {
            self[index].join(element)
        } else {
            insert(element, at: index)
        }
    }

    mutating func join(contentsOf others: [Element]) {
        for element in others { join(element) }
    }

    /// Where the element with this id stands, or nil.
    func index(id: String) -> Int? {
        let index = insertionIndex(of: id)
        return index < endIndex && utf8Order(self[index].id, id) == 0 ? index : nil
    }

    /// The element with this id, or nil.
    func named(_ id: String) -> Element? {
        index(id: id).map { self[$0] }
    }

    /// True when the ids rise, each once.
    var isSortedByID: Bool {
        for index in indices.dropFirst() where utf8Order(self[index - 1].id, self[index].id) >= 0 {
            return false
        }
        return true
    }

    /// The first index whose id is not below `id`.
    private func insertionIndex(of id: String) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if utf8Order(self[middle].id, id) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Below, at or above zero as the bytes of `left` stand before, equal or behind those of `right`.
///
/// Not the order of `String`, which takes canonically equivalent texts for equal: to a provider two
/// ids are the same only when their bytes are.
func utf8Order(_ left: String, _ right: String) -> Int {
    let leftBytes = left.utf8.span
    let rightBytes = right.utf8.span
    for index in 0..<min(leftBytes.count, rightBytes.count)
    where leftBytes[index] != rightBytes[index] {
        return Int(leftBytes[index]) - Int(rightBytes[index])
    }
    return leftBytes.count - rightBytes.count
}

/// The one that is there; of two the lesser by bytes, so that the order of arrival decides nothing.
func lesser(_ left: String?, _ right: String?) -> String? {
    guard let left else { return right }
    guard let right else { return left }
    return utf8Order(left, right) <= 0 ? left : right
}
