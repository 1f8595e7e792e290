"""The system calls that an answer in the jail is refused, as a filter that bubblewrap hands to Linux (seccomp).

The filter is a program of classic BPF: instructions of 8 bytes that load a number, compare and jump.
"""

import platform
import struct

# {machine: (its number, {system call: its number})}; from 424 on all machines count alike.
SAME = {
    "io_uring_setup": 425,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "mount_setattr": 442,
    "memfd_secret": 447,
}
NAMES = [
    "unshare",
    "setns",
    "mount",
    "umount2",
    "pivot_root",
    "keyctl",
    "add_key",
    "request_key",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "memfd_create",
]
X86 = (272, 308, 165, 166, 155, 250, 248, 249, 101, 310, 311, 321, 298, 323, 319)
ARM = (97, 268, 40, 39, 41, 219, 217, 218, 117, 270, 271, 280, 241, 282, 279)
MACHINES = {
    "x86_64": (0xC000003E, dict(zip(NAMES, X86, strict=True)) | SAME, {"socket": 41, "clone": 56}),
    "aarch64": (0xC00000B7, dict(zip(NAMES, ARM, strict=True)) | SAME, {"socket": 198, "clone": 220}),
}
CLONE3, X32, NEW_USER, AF_UNIX = 435, 0x40000000, 0x10000000, 1
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, REFUSE, MISSING = 0x7FFF0000, 0x00050001, 0x00050026  # errno 1: EPERM; 38: ENOSYS, so that glibc takes clone
NUMBER, MACHINE, ARGUMENT = 0, 4, 16


def program(machine: str = "") -> bytes:
    """Return the filter for `machine`, else for this one: b"" where none is known."""
    if (machine or platform.machine()) not in MACHINES:
        return b""
    number, refused, special = MACHINES[machine or platform.machine()]

    def step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("=HBBI", code, yes, no, value)

    refuse = step(RETURN, REFUSE)
    lines = [step(LOAD, MACHINE), step(EQUAL, number, 1), refuse, step(LOAD, NUMBER), step(AT_LEAST, X32, 0, 1), refuse]
    lines += [step(EQUAL, CLONE3, 0, 1), step(RETURN, MISSING)]
    for one in refused.values():
        lines += [step(EQUAL, one, 0, 1), refuse]
    lines += [step(EQUAL, special["socket"], 0, 4), step(LOAD, ARGUMENT), step(EQUAL, AF_UNIX, 1), refuse]
    lines += [step(RETURN, ALLOW)]
    lines += [step(EQUAL, special["clone"], 0, 3), step(LOAD, ARGUMENT), step(ANY_BIT, NEW_USER, 0, 1), refuse]
    return b"".join([*lines, step(RETURN, ALLOW)])
