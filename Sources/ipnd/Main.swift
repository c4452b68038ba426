import Commands

/// The executable. Everything is in the library `Commands`, so that tests can import it.
@main
enum Main {
    static func main() { Program.main() }
}
