@main struct Ipnd { static func main() {} }
