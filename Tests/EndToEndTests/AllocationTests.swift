import Foundation
import Providers
import TestSupport
import Testing

/// Counts the allocations of a notification in the real program, by a library that takes the place
/// of malloc(3). Requests come one at a time on a kept connection.
@Suite(.ownThreads) struct AllocationTests {
    private static let requests = 800
    private let folder = TemporaryFolder()

    /// OpenSSL's verification takes 13 of the loop's, which nothing of ours can avoid. The
    /// journal's thread has a batch for each request here.
    ///
    /// Each thread's count is that of the request that takes least: now and then a table grows, and
    /// on a busy machine the two threads find other things done, which takes one more at times.
    @Test(
        .enabled(if: installedProgram("cc") != nil, "there is no C compiler"),
        .enabled(if: Binary.ipnd.contains("/release/"), "an unoptimized program copies more"),
        .ifNotSanitized)
    func `a notification allocates no more than it needs`() throws {
        let instance = try Instance(edit: { $0 + "\nloops: 1\n" }, starts: false)
        let counts = folder.file("counts")
        instance.environment = ["LD_PRELOAD": try counter(), "IPND_ALLOCATIONS": counts]
        try instance.start()
        let antom = try SandboxProvider("antom", of: instance)
        let requests = try (0..<Self.requests).map {
            try antom.delivery(.paid, reference: "A-\($0)", number: $0).request()
        }
        let client = try instance.client()
        var counted: [String: Int] = [:]
        var spent: [String: [Int]] = [:]
        for request in requests {
            try client.send(request)
            #expect(try client.receive().status == 200)
            let now = try allocations(counts, of: instance)
            for (thread, count) in now {
                spent[thread, default: []].append(count - counted[thread, default: 0])
            }
            counted = now
        }
        /// Without the first half, which fills caches.
        func least(_ thread: String) throws -> Int {
            try #require(spent[thread]?.suffix(Self.requests / 2).min())
        }
        #expect(try least("ipnd-loop-0") <= 26)
        #expect(try least("ipnd-journal") <= 15)
    }

    /// The number of allocations of each thread.
    private func allocations(_ file: String, of instance: Instance) throws -> [String: Int] {
        let words = try Data(contentsOf: URL(fileURLWithPath: file)).withUnsafeBytes {
            Array($0.bindMemory(to: Int64.self))
        }
        var found: [String: Int] = [:]
        for slot in stride(from: 0, to: words.count, by: 2) where words[slot] != 0 {
            let path = "/proc/\(instance.process.processIdentifier)/task/\(words[slot])/comm"
            guard let name = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
            found[name.trimmingCharacters(in: .newlines), default: 0] += Int(words[slot + 1])
        }
        return found
    }

    /// A library that counts in a file: the number of each thread, and its allocations.
    private func counter() throws -> String {
        let source = try folder.write(
            "counter.c",
            """
            #define _GNU_SOURCE
            #include <fcntl.h>
            #include <stddef.h>
            #include <stdlib.h>
            #include <sys/mman.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
            void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
            enum { THREADS = 256 };
            static long (*slots)[2];
            static int taken;
            static __thread long *own;
            __attribute__((constructor)) static void begin(void) {
                const char *path = getenv("IPND_ALLOCATIONS");
                int file = path ? open(path, O_CREAT | O_RDWR, 0600) : -1;
                if (file < 0 || ftruncate(file, THREADS * sizeof *slots)) return;
                slots = mmap(0, THREADS * sizeof *slots, PROT_WRITE, MAP_SHARED, file, 0);
                close(file);
            }
            static void count(void) {
                if (!own && slots) {
                    int slot = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
                    if (slot >= THREADS) _exit(70);
                    own = slots[slot];
                    own[0] = syscall(SYS_gettid);
                }
                if (own) own[1]++;
            }
            void *malloc(size_t size) { count(); return __libc_malloc(size); }
            void *calloc(size_t number, size_t size) {
                count();
                return __libc_calloc(number, size);
            }
            void *realloc(void *old, size_t size) { count(); return __libc_realloc(old, size); }
            void *aligned_alloc(size_t place, size_t size) {
                count();
                return __libc_memalign(place, size);
            }
            int posix_memalign(void **found, size_t place, size_t size) {
                count();
                return (*found = __libc_memalign(place, size)) ? 0 : 12;
            }

            """)
        let library = folder.file("counter.so")
        let made = try run("cc", ["-shared", "-fPIC", "-O1", "-o", library, source])
        try #require(made.status == 0, "\(made.errors)")
        return library
    }
}

extension Trait where Self == ConditionTrait {
    /// The sanitizers have their own malloc.
    fileprivate static var ifNotSanitized: Self {
        .enabled("a sanitizer replaces malloc") {
            let environment = ProcessInfo.processInfo.environment
            return !["ASAN_OPTIONS", "TSAN_OPTIONS"].contains { environment[$0] != nil }
        }
    }
}
