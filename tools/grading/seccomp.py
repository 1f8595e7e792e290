"""The system calls that an answer in the jail is refused, as a filter that bubblewrap hands to Linux (seccomp).

The filter is a program of classic BPF: instructions of 8 bytes that load a number, compare and jump.
"""

import platform
import struct

# {system call: its number on x86_64, and on aarch64}; from 424 on all machines count alike.
CALLS = {
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "memfd_create": (319, 279),
    "io_uring_setup": (425, 425),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "memfd_secret": (447, 447),
}
# {machine: (its own number, the calls that are refused, those that are refused for some arguments)}
MACHINES = {
    "x86_64": (0xC000003E, {name: x86 for name, (x86, _) in CALLS.items()}, {"socket": 41, "clone": 56}),
    "aarch64": (0xC00000B7, {name: arm for name, (_, arm) in CALLS.items()}, {"socket": 198, "clone": 220}),
}
CLONE3, X32, NEW_USER, AF_UNIX = 435, 0x40000000, 0x10000000, 1
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, REFUSE, MISSING = 0x7FFF0000, 0x00050001, 0x00050026  # errno 1: EPERM; 38: ENOSYS, so that glibc takes clone
NUMBER, MACHINE, ARGUMENT = 0, 4, 16


def program() -> bytes:
    """Return the filter for this machine: b"" where none is known."""
    if platform.machine() not in MACHINES:
        return b""
    number, refused, special = MACHINES[platform.machine()]

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
