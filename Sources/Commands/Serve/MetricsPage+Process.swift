import Platform
import Receiver

extension MetricsPage {
    /// Writes process metrics under the names of Prometheus' client libraries, which general
    /// dashboards use.
    mutating func write(process: ProcessFigures?) {
        guard let process else { return }
        family(
            "process_cpu_seconds_total", "counter", "Processor time used, user and system.")
        sample(
            "process_cpu_seconds_total",
            text: Self.seconds(micros: process.processorNanoseconds / 1000))
        let gauges: [(String, String, Int)] = [
            ("process_resident_memory_bytes", "Resident memory.", process.residentBytes),
            ("process_virtual_memory_bytes", "Virtual memory.", process.virtualBytes),
            ("process_open_fds", "Open file descriptors.", process.openDescriptors),
            ("process_max_fds", "Maximum number of open file descriptors.", process.descriptorsMax),
            ("process_threads", "Threads.", process.threads),
            (
                "process_start_time_seconds", "When the process started, as a Unix time.",
                process.started
            ),
        ]
        for (name, help, value) in gauges {
            family(name, "gauge", help)
            sample(name, [], value)
        }
    }

    /// Writes the version.
    mutating func write(build version: String) {
        family("ipnd_build_info", "gauge", "1, with the version.")
        sample("ipnd_build_info", [("version", version)], 1)
    }

    /// Writes whether the last reload succeeded.
    mutating func write(configurationIsCurrent: Bool, readAt seconds: Int) {
        family(
            "ipnd_config_last_reload_successful", "gauge",
            "0 after a reload that was refused; 1 after a start or a reload.")
        sample("ipnd_config_last_reload_successful", [], configurationIsCurrent ? 1 : 0)
        family(
            "ipnd_config_last_reload_success_timestamp_seconds", "gauge",
            "When the running configuration was read, as a Unix time.")
        sample("ipnd_config_last_reload_success_timestamp_seconds", [], seconds)
    }
}
