/// Runs a task's jobs where they are enqueued: whatever resumes a task also runs it, up to its next
/// suspension.
///
/// A submission is in the queue when `submit` returns, and an answer is noted before the
/// committer goes on: the tests can say "not before" without waiting for anything.
final class InlineExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
