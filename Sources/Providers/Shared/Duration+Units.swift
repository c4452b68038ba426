extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
    static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
}
