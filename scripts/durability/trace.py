"""Reads what strace wrote: every system call's entry and exit, in the order in which they happened.

strace stops a thread at the entry of a call before the kernel does anything, and at its exit before
the program goes on. Therefore what the kernel did lies between the two, and whatever the program
does because of a call's result comes after its exit in the file.
"""

import re

CALLS = ("openat,open,creat,close,dup,dup2,dup3,pwrite64,pwritev,pwritev2,write,writev,fdatasync,fsync,"
         "sync_file_range,fallocate,ftruncate,rename,renameat,renameat2,link,linkat,unlink,unlinkat,"
         "mkdir,mkdirat,recvfrom,sendto,sendmsg")
STRACE = ["strace", "-f", "-xx", "-s", "4194304", "-e", f"trace={CALLS}", "-e", "signal=none", "-o"]

LINE = re.compile(r"^(\d+) +(.*)$", re.S)
RESUMED = re.compile(r"^<\.\.\. (\w+) resumed>(.*)$", re.S)
CALL = re.compile(r"^(\w+)\((.*)$", re.S)
RESULT = re.compile(r"\)\s+= (-?\d+|\?)[^\"]*$")
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


class Call:
    """One system call. `result` is None until it has returned, and for ever when it never did."""

    __slots__ = ("name", "text", "result")

    def __init__(self, name, text):
        self.name, self.text, self.result = name, text, None

    def strings(self):
        return [bytes.fromhex(s.replace("\\x", "")) for s in STRING.findall(self.text)]

    def path(self, index=0):
        return self.strings()[index].decode()

    def numbers(self):
        """The arguments without the strings, split at commas."""
        return [part.strip() for part in STRING.sub("", self.text).rstrip(")").split(",")]

    def descriptor(self):
        return int(self.text.split(",", 1)[0].rstrip(") "))


def events(path):
    """Yields ("enter", call) and ("exit", call)."""
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
                    call.text, call.result = call.text + end, result
                    yield "exit", call
                continue
            name, rest = CALL.match(text).groups()
            if rest.endswith("<unfinished ...>"):
                call = Call(name, rest[:-len("<unfinished ...>")])
                unfinished[thread] = call
                yield "enter", call
            else:
                arguments, result = parted(rest)
                call = Call(name, arguments)
                yield "enter", call
                call.result = result
                yield "exit", call


def parted(text):
    """The arguments and the result of a call that has returned."""
    result = RESULT.search(text)
    if result is None:
        return text, None
    return text[:result.start()], None if result[1] == "?" else int(result[1])
