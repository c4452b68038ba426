"""Reads strace's output: the entry and exit of every system call, in the order in which they
happened.

strace stops a thread at the entry of a call before the kernel acts, and at its exit before the
program continues. So the kernel acted between the two, and everything that the program does because
of a call's result follows its exit in the file.
"""

import re

CALLS = (
    "openat,open,creat,close,dup,dup2,dup3,pwrite64,pwritev,pwritev2,write,writev,fdatasync,fsync,"
    "sync_file_range,fallocate,ftruncate,rename,renameat,renameat2,link,linkat,unlink,unlinkat,"
    "mkdir,mkdirat,recvfrom,sendto,sendmsg"
)
STRACE = ["strace", "-f", "-xx", "-s", "4194304", "-e", f"trace={CALLS}", "-e", "signal=none", "-o"]

LINE = re.compile(r"^(\d+) +(.*)$", re.S)
RESUMED = re.compile(r"^<\.\.\. (\w+) resumed>(.*)$", re.S)
CALL = re.compile(r"^(\w+)\((.*)$", re.S)
RESULT = re.compile(r"\)\s+= (-?\d+|\?)[^\"]*$")


class Call:
    """One system call and its arguments."""

    __slots__ = ("name", "strings", "rest")

    def __init__(self, name, text):
        self.name, self.strings, self.rest = name, [], ""
        self.add(text)

    def add(self, text):
        # With -xx only hex digits appear between quotes. (A regular expression takes a hundred
        # times as long for these megabytes.)
        parts = text.split('"')
        self.strings += [bytes.fromhex(part.replace("\\x", "")) for part in parts[1::2]]
        self.rest += "".join(parts[0::2])

    def path(self, index=0):
        return self.strings[index].decode()

    def numbers(self):
        """The arguments, empty where a string is."""
        return [part.strip() for part in self.rest.rstrip(")").split(",")]

    def descriptor(self):
        return int(self.rest.split(",", 1)[0].rstrip(") "))


def events(path):
    """Yields ("enter", call, None) and ("exit", call, result)."""
    unfinished = {}
    with open(path, errors="surrogateescape") as file:
        for line in file:
            thread, text = LINE.match(line.rstrip("\n")).groups()
            if text.startswith(("+++", "---")):
                continue
            resumed = RESUMED.match(text)
            if resumed:
                call = unfinished.pop(thread, None)
                if call:
                    end, result = parted(resumed[2])
                    call.add(end)
                    yield "exit", call, result
                continue
            name, rest = CALL.match(text).groups()
            if rest.endswith("<unfinished ...>"):
                call = Call(name, rest[: -len("<unfinished ...>")])
                unfinished[thread] = call
                yield "enter", call, None
            else:
                arguments, result = parted(rest)
                call = Call(name, arguments)
                yield "enter", call, None
                yield "exit", call, result


def parted(text):
    """The arguments and the result of a call that has returned."""
    result = RESULT.search(text)
    if result is None:
        return text, None
    return text[: result.start()], None if result[1] == "?" else int(result[1])
