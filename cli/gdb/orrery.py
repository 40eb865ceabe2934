"""Commands of gdb for programs that run in Orrery: `help orrery` lists them.

`orrery replay --gdb` loads this file.  It reads what sim_runtime's debugger.h describes, so it needs
debug information of the program alone, and gdb 9 or later with Python.
"""

import contextlib
import re
import struct

import gdb
import gdb.unwinder

VERSION = 1
BEGINS = "orrery_debugger_run_begins"
STOPPED = "orrery_debugger_stopped"
FINDING = "orrery_finding"
TARGET, CHANGED, OPERATION = 1, 2, 3
WATCHES_MAX = 32
WATCH_BYTES_MAX = 64
NOBODY = 0xFFFFFFFF
# What is not known yet, or cannot be.
FAILURES = (gdb.error, gdb.GdbError)


class Layout:
    """A C structure: its fields in their order, and where they lie."""

    def __init__(self, fields, form):
        self.fields = fields.split()
        self.form = struct.Struct("<" + form)

    def read(self, address, count=1):
        if count == 0:
            return []
        size = self.form.size
        memory = bytes(gdb.selected_inferior().read_memory(address, size * count))
        return [Row(zip(self.fields, self.form.unpack_from(memory, i * size))) for i in range(count)]


class Row(dict):
    __getattr__ = dict.__getitem__


VIEW = Layout(
    "version running steps now_ps tasks task_count messages message_count receives receive_count",
    "IIQqQQQQQQ",
)
TASK = Layout(
    "task rank operations start_number start_function state operation peer tag object deadline_ps"
    " registers name",
    "IiIIQQQiiQqQ64s",
)
MESSAGE = Layout(
    "sender number context source destination tag size_bytes state date_ps", "IIIiiiQQq"
)
RECEIVE = Layout("task number context rank source tag", "IIIiii")
REGISTERS = Layout("rbx rbp r12 r13 r14 r15 rsp rip", "QQQQQQQQ")
CONTROL = Layout(
    "version is_on has_target task rank number date_ps stops_always watch_count", "IIIxxxxqqqqII"
)
WATCH = struct.Struct("<QI64sxxxx")


def text_at(address):
    return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string()


def address_of(symbol):
    try:
        return int(gdb.parse_and_eval("(unsigned long) &" + symbol))
    except gdb.error:
        raise gdb.GdbError("this process has no run of Orrery's in it")


def is_alive():
    return gdb.selected_inferior().pid != 0


def look():
    """The run as it stands, and its tasks, messages and open receives."""
    if not is_alive():
        raise gdb.GdbError("nothing runs yet: 'run' begins the replay")
    address_of("orrery_debugger_look")
    call = "((unsigned long (*)(void)) &orrery_debugger_look)()"
    view = VIEW.read(int(gdb.parse_and_eval(call)))[0]
    if view.version != VERSION:
        raise gdb.GdbError("this file is for another version of Orrery: install it again")
    for rows, count, layout in (
        ("tasks", view.task_count, TASK),
        ("messages", view.message_count, MESSAGE),
        ("receives", view.receive_count, RECEIVE),
    ):
        view[rows] = layout.read(view[rows], count)
    for task in view.tasks:
        task["state"] = text_at(task.state)
        task["operation"] = text_at(task.operation)
        task["name"] = task["name"].split(b"\0")[0].decode("utf-8", "replace")
    for message in view.messages:
        message["state"] = text_at(message.state)
    if not view.tasks:
        raise gdb.GdbError("no run is under way here")
    return view


def duration(picoseconds):
    for unit, size in (("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 10**3)):
        if picoseconds >= size:
            return ("%.6f" % (picoseconds / size)).rstrip("0").rstrip(".") + unit
    return "%dps" % picoseconds


# --- stacks -------------------------------------------------------------------------------------


class TaskUnwinder(gdb.unwinder.Unwinder):
    """Puts the stack of a task that does not run behind the innermost frame of the one that does.

    No register of the process is touched: what is looked at changes, not what happens next.
    """

    def __init__(self):
        super().__init__("orrery task")
        self.registers = None
        self.innermost = 0

    def show(self, registers):
        self.registers = None
        gdb.invalidate_cached_frames()
        if registers is not None:
            self.innermost = int(gdb.newest_frame().read_register("rsp"))
            self.registers = registers
            gdb.invalidate_cached_frames()

    def __call__(self, pending):
        if self.registers is None or int(pending.read_register("rsp")) != self.innermost:
            return None
        # Lower than any stack: else the next frame would be taken for one that it had called.
        place = Row(sp=gdb.Value(1), pc=pending.read_register("rip"))
        unwound = pending.create_unwind_info(place)
        kind = gdb.lookup_type("unsigned long")
        for name, value in self.registers.items():
            unwound.add_saved_register(name, gdb.Value(value).cast(kind))
        return unwound


UNWINDER = TaskUnwinder()


@contextlib.contextmanager
def kept_frame():
    """Leaves the user with the frame that was selected."""
    level, registers = gdb.selected_frame().level(), UNWINDER.registers
    try:
        yield
    finally:
        UNWINDER.show(registers)
        frame = gdb.newest_frame()
        for _ in range(level):
            frame = frame.older() or frame
        frame.select()


class OwnFrames:
    """Leaves what is between the user's functions and the run out of backtraces: `backtrace
    -no-filters` has it. The call that the user has made stays."""

    def __init__(self):
        self.name = "orrery"
        self.enabled = True
        self.priority = 100
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        held = []
        has_user = False
        is_others = UNWINDER.registers is not None  # what runs, in front of what is looked at
        for one in frames:
            frame = one.inferior_frame()
            if is_others:
                is_others = frame.type() == gdb.INLINE_FRAME
                continue
            if is_of_program(frame):
                if held and not has_user and is_call(held[-1].inferior_frame()):
                    yield held[-1]
                has_user = True
                yield one
            else:
                held.append(one)
        if not has_user:
            yield from held


def is_call(frame):
    """A function of an interface that programs call."""
    name = frame.name() or ""
    return "::" not in name and not name.startswith("orrery_debugger")


OwnFrames()


def is_of_program(frame):
    """Is it a function of the user's, and neither Orrery's nor a library's of the system?"""
    name = without_result(frame.name() or "")
    if name.startswith("orrery::") and not name.startswith("orrery::scenarios::"):
        return False
    if name.startswith(("__wrap_", "__tsan_")):
        return False
    file = gdb.solib_name(frame.pc())
    if file is None:
        return name != "" and not is_hosted() and not name.startswith(("orrery_", "boost::", "std::"))
    base = file.rsplit("/", 1)[-1]
    if base.startswith(("liborrery", "libmpi.so")):
        return False
    return not re.match(r"(/usr)?/lib(32|64)?/", file)


def without_result(name):
    """Of a function of which there is no more than a symbol: `void f<int>(int)` is `f<int>(int)`."""
    depth = begin = 0
    for i, letter in enumerate(name):
        if letter == "(" and depth == 0 and not name.startswith("(anonymous", i):
            break
        depth += (letter in "<(") - (letter in ">)")
        if letter == " " and depth == 0 and not name.endswith("operator", 0, i):
            begin = i + 1
    return name[begin:]


def is_libraries(frame):
    """Is it of a header of the system's, inlined into the program?"""
    position = frame.find_sal()
    return position.symtab is not None and position.symtab.filename.startswith("/usr/")


def is_hosted():
    """Is the executable Orrery's command, and the program a file that it has loaded?"""
    return any(re.match(r"/proc/\d+/fd/", one.filename or "") for one in gdb.objfiles())


def frames_of(registers):
    """All frames of a task; of the running one for None."""
    UNWINDER.show(registers)
    frame = gdb.newest_frame()
    if registers is not None:
        while frame.type() == gdb.INLINE_FRAME:
            frame = frame.older()
        frame = frame.older()
    while frame is not None and frame.is_valid():
        yield frame
        frame = frame.older()


def registers_of(task):
    """None: it runs.  Raises where it has no stack."""
    if task.state == "running":
        return None
    if task.registers == 0:
        raise gdb.GdbError(
            "%s %s" % (title(task), "has ended" if task.state == "ended" else "has not begun")
        )
    return REGISTERS.read(task.registers)[0]


def program_frame(task):
    """The innermost frame of the user's, with a line of theirs if there is one; None: there is none."""
    first = None
    try:
        for frame in filter(is_of_program, frames_of(registers_of(task))):
            if not is_libraries(frame):
                return frame
            first = first or frame
    except FAILURES:
        pass
    return first


def place(frame):
    if frame is None:
        return ""
    position = frame.find_sal()
    if position.symtab is None:
        return frame.name() or "%#x" % frame.pc()
    file = position.symtab.filename
    return "%s:%d in %s" % (file, position.line, frame.name())


# --- words --------------------------------------------------------------------------------------


def title(task):
    if task.name:
        return task.name
    if task.start_function:
        return "%s#%d" % (thread_name(task.start_function), task.start_number)
    return "rank %d" % task.rank if task.rank >= 0 else "task %d" % task.task


def thread_name(start_function):
    """As findings have it: `main::{lambda()#1}` of what std::thread was given."""
    symbol = gdb.execute("info symbol %#x" % start_function, to_string=True)
    name = re.split(r" \+ \d+ in section | in section ", symbol)[0]
    given = name.find("std::tuple<")
    if given < 0:
        return re.sub(r"\(.*", "", name)
    name = name[given + len("std::tuple<") :]
    depth = 0
    for i, letter in enumerate(name):
        depth += (letter in "<(") - (letter in ">)")
        if depth < 0 or (depth == 0 and letter == ","):
            name = name[:i]
            break
    # Of a member function or a pointer: what is called; its type tells no more.
    return name[: -len("::operator()")] if name.endswith("::operator()") else name


def any_or(number):
    return "any" if number < 0 else str(number)


def operations(task):
    return "%d operation%s" % (task.operations, "" if task.operations == 1 else "s")


def deed(task):
    """What a task is about."""
    if task.state in ("running", "ended"):
        return "after " + operations(task)
    words = "%d: %s" % (task.operations, task.operation)
    if task.operation == "send":
        words += " to %s, tag %s" % (any_or(task.peer), any_or(task.tag))
    elif task.operation in ("receive", "post_receive", "probe", "try_probe"):
        words += " from %s, tag %s" % (any_or(task.peer), any_or(task.tag))
    if task.deadline_ps >= 0:
        words += ", until " + duration(task.deadline_ps)
    return words


def table(titles, rows):
    widths = [max(len(str(row[i])) for row in [titles] + rows) for i in range(len(titles))]
    for row in [titles] + rows:
        gdb.write("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
        gdb.write("\n")


def number_in(argument, what):
    if not re.fullmatch(r"\d+", argument):
        raise gdb.GdbError("'%s' is no %s: write a number, as 'orrery tasks' shows it" % (argument, what))
    return int(argument)


# --- where to stop ------------------------------------------------------------------------------

UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}


class Event:
    """`2:17` (rank and operation), `3.17` (task and operation), a date, `1.5ms`, or `2@1.5ms`: the
    first operation of that rank from then on."""

    def __init__(self, text):
        self.text = text
        self.task = self.rank = -1
        self.number = self.date_ps = 0
        if match := re.fullmatch(r"(\d+):(\d+)", text):
            self.rank, self.number = map(int, match.groups())
        elif match := re.fullmatch(r"(\d+)\.(\d+)", text):
            self.task, self.number = map(int, match.groups())
        elif match := re.fullmatch(r"(?:(\d+)@)?(\d+(?:\.\d+)?)(ps|ns|us|ms|s)", text):
            self.rank = int(match.group(1) or -1)
            self.date_ps = round(float(match.group(2)) * UNITS[match.group(3)])
        else:
            raise gdb.GdbError(
                "'%s' is no event: write RANK:OPERATION as in 2:17, TASK.OPERATION as in 3.17, or "
                "a virtual time as in 1.5ms" % text
            )

    def check(self, view):
        """Can it come at all?"""
        if self.rank >= 0 and all(task.rank != self.rank for task in view.tasks):
            raise gdb.GdbError(
                "there is no rank %d, as 'orrery tasks' shows: TASK.OPERATION, as in 3.17, names a "
                "thread's" % self.rank
            )

    def is_past(self, view):
        if self.date_ps > view.now_ps:
            return False
        for task in view.tasks:
            is_its = task.task == self.task or (self.rank >= 0 and task.rank == self.rank)
            if is_its:
                return task.operations >= self.number
        return self.task < 0 and self.rank < 0


class Control:
    """The part of the process that says where it shall stop."""

    def __init__(self):
        self.address = address_of("orrery_debugger_control")

    def put(self, offset, form, *values):
        memory = struct.pack("<" + form, *values)
        gdb.selected_inferior().write_memory(self.address + offset, memory)

    def switch_on(self):
        self.put(0, "II", VERSION, 1)

    def aim_at(self, event):
        self.put(16, "qqqq", event.task, event.rank, event.number, event.date_ps)
        self.put(8, "I", 1)

    def watch(self, ranges, always):
        inferior = gdb.selected_inferior()
        for i, (address, size) in enumerate(ranges):
            last = bytes(inferior.read_memory(address, size))
            self.put(56 + i * WATCH.size, WATCH.format[1:], address, size, last)
        self.put(48, "II", 1 if always else 0, len(ranges))


class Predicate:
    """An expression in which `NAME@RANK` is a variable of that rank's."""

    VARIABLE = re.compile(r"([A-Za-z_]\w*(?:::\w+)*)@(\d+)((?:\.\w+|\[\d+\])*)")

    def __init__(self, number, text):
        self.number = number
        self.text = text
        self.expression = self.VARIABLE.sub(r'$orrery_of(\2, "\1")\3', text)
        self.held = False
        rest = self.VARIABLE.sub("0", text)
        # What lies behind pointers may change without the pointer.
        self.is_watchable = not re.search(r"->|\*\s*[A-Za-z_(]|\[|[A-Za-z_]", rest)

    def check(self):
        """Tells a mistake in it, where it can be told."""
        for name, rank, _ in self.VARIABLE.findall(self.text):
            variable_of(int(rank), name)
        try:
            return bool(self.value())
        except gdb.error as error:
            raise gdb.GdbError("%s: %s" % (self.text, error))

    def value(self):
        return gdb.parse_and_eval(self.expression)

    def ranges(self):
        """What it depends on: [(address, bytes)]; None: more than that."""
        if not self.is_watchable:
            return None
        found = []
        for name, rank, part in self.VARIABLE.findall(self.text):
            value = gdb.parse_and_eval('$orrery_of(%s, "%s")%s' % (rank, name, part))
            if value.type.sizeof > WATCH_BYTES_MAX or value.address is None:
                return None
            found.append((int(value.address), value.type.sizeof))
        return found or None

    def begins_to_hold(self):
        held, self.held = self.held, bool(self.value())
        return self.held and not held


class OfRank(gdb.Function):
    """$orrery_of(RANK, "NAME"): a variable with static storage in the program of that rank."""

    def __init__(self):
        super().__init__("orrery_of")

    def invoke(self, rank, name):
        return variable_of(int(rank), name.string())


def variable_of(rank, name):
    copies = copies_of_program()
    file = file_of(rank, copies)
    found = file.lookup_global_symbol(name) or file.lookup_static_symbol(name)
    if found is None or not found.is_variable:
        raise gdb.GdbError(
            "the program of rank %d has no global or static variable '%s' that gdb knows: see "
            "'info variables'; a program built without -g has none" % (rank, name)
        )
    value = found.value()
    # gdb takes a global variable of any copy for that of the first.
    owner = gdb.solib_name(int(value.address))
    others = [one for one in copies if one.filename == owner]
    if not others or others[0] is file:
        return value
    address = int(value.address) + main_of(file) - main_of(others[0])
    return gdb.Value(address).cast(value.type.pointer()).dereference()


def main_of(file):
    return int(file.lookup_global_symbol("main").value().address)


def copies_of_program():
    """In the order of ranks, in which they are loaded."""
    copies = [one for one in gdb.objfiles() if is_copy(one)]
    # A program that was not built for Orrery is its own first copy.
    return copies or [one for one in gdb.objfiles() if has_main(one)]


def file_of(rank, copies):
    if not any(task.rank == rank for task in look().tasks):
        raise gdb.GdbError("there is no rank %d: see 'orrery tasks'" % rank)
    if rank >= len(copies):
        raise gdb.GdbError("the program of rank %d has no debug information: build it with -g" % rank)
    return copies[rank]


def is_copy(file):
    return bool(re.match(r"/proc/\d+/fd/", file.filename or "")) and has_main(file)


def has_main(file):
    return file.lookup_global_symbol("main") is not None


class Stops(gdb.Breakpoint):
    """Where the process comes to when it was asked to stop."""

    def __init__(self):
        super().__init__(STOPPED, internal=True)
        self.silent = True
        self.predicates = []
        self.reason = ""
        self.awaited = ""  # the event that the process goes to

    def stop(self):
        reason = int(gdb.newest_frame().read_register("rdi")) & 0xFFFFFFFF
        self.reason = ""
        if reason == TARGET:
            self.reason, self.awaited = self.awaited, ""
            return True
        self.watch()
        for predicate in self.predicates:
            try:
                if predicate.begins_to_hold():
                    self.reason = "%d: %s" % (predicate.number, predicate.text)
            except FAILURES:
                continue  # a rank that has not begun has no variables yet
        return self.reason != ""

    def watch(self):
        """Tells the process what the predicates depend on."""
        ranges, always = [], False
        for predicate in self.predicates:
            try:
                found = predicate.ranges()
            except FAILURES:
                found = None
            always = always or found is None
            ranges += found or []
        if len(ranges) > WATCHES_MAX:
            ranges, always = [], True
        Control().watch(ranges, always)



class Begins(gdb.Breakpoint):
    """Where the process begins a run: it is told there what it is to look at."""

    def __init__(self):
        super().__init__(BEGINS, internal=True)
        self.silent = True
        self.target = None

    def stop(self):
        control = Control()
        control.switch_on()
        # Ranks that have not begun have no variables: the rest is seen to at the first operation.
        control.watch([], bool(STOPS.predicates))
        if self.target is not None:
            control.aim_at(self.target)
            STOPS.awaited = self.target.text
        self.target = None
        return False


class Findings(gdb.Breakpoint):
    """Where something has been found."""

    def __init__(self):
        super().__init__(FINDING, internal=True)
        self.silent = True


OfRank()
STOPS = Stops()
BEGINNING = Begins()
FINDINGS = Findings()
OURS = (STOPS, BEGINNING, FINDINGS)


def on_stop(event):
    """Shows the user's own function, and not what has called the debugger."""
    UNWINDER.show(None)
    if not isinstance(event, gdb.BreakpointEvent):
        return
    if FINDINGS in event.breakpoints:
        show_finding()
    if STOPS not in event.breakpoints:
        return
    try:
        view = look()
        running = [task for task in view.tasks if task.task == view.running]
        frame = program_frame(running[0]) if running else None
    except FAILURES:
        return
    who = title(running[0]) if running else "nobody"
    number = running[0].operations + 1 if running else 0
    gdb.write(
        "%s: before operation %d of %s%s, at %s\n"
        % (STOPS.reason, number, who, call_in(frame), duration(view.now_ps))
    )
    if frame is not None:
        frame.select()
        gdb.execute("frame")


def show_finding():
    registers = gdb.newest_frame()
    kind, message = (text_at(int(registers.read_register(one))) for one in ("rdi", "rsi"))
    gdb.write("finding: %s: %s\n" % (kind, message))
    frame = next(filter(is_of_program, frames_of(None)), None)
    if frame is not None:
        frame.select()
    gdb.execute("frame")


def call_in(frame):
    """` (pthread_mutex_lock)`: what the user's function is calling; empty where that has no name of theirs."""
    called = frame.newer() if frame is not None else None
    while called is not None and called.type() == gdb.INLINE_FRAME:
        called = called.newer()
    if called is None or not is_call(called) or called.name().startswith("__"):
        return ""
    return " (%s)" % called.name()


def on_continue(_event):
    UNWINDER.registers = None


def on_exit(_event):
    if STOPS.awaited:
        gdb.write("The run has ended before %s.\n" % STOPS.awaited)
        if re.fullmatch(r"\d+[:.]\d+", STOPS.awaited):
            gdb.write("'orrery show FILE --export csv' numbers tasks and their operations.\n")
    STOPS.awaited = ""
    UNWINDER.registers = None
    for predicate in STOPS.predicates:
        predicate.held = False


def on_new_file(event):
    """Says so when line numbers of the program will mean nothing."""
    file = event.new_objfile
    if not re.match(r"/proc/\d+/fd/", file.filename or "") or on_new_file.has_spoken:
        return
    if not has_main(file):
        on_new_file.has_spoken = True
        gdb.write(
            "The program has no debug information: breakpoints by line do nothing. Build it with "
            "-g.\n"
        )


on_new_file.has_spoken = False


# --- commands -----------------------------------------------------------------------------------


class OrreryCommand(gdb.Command):
    """The run that is replayed: its tasks, messages and events."""

    def __init__(self):
        super().__init__("orrery", gdb.COMMAND_USER, prefix=True)


class Tasks(gdb.Command):
    """orrery tasks: who is about to do what, and where."""

    def __init__(self):
        super().__init__("orrery tasks", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        rows = []
        view = look()
        with kept_frame():
            for task in view.tasks:
                mark = "*" if task.state == "running" else " "
                where = ""
                if task.state == "running" or task.registers != 0:
                    where = place(program_frame(task))
                rows.append([mark, task.task, title(task), task.state, deed(task), where])
        table(["", "task", "name", "state", "operation", "where"], rows)


def select(task):
    """Shows the stack of a task."""
    frame = program_frame(task)
    if frame is None:
        frame = next(frames_of(registers_of(task)))
    gdb.write("%s, task %d, %s; %s\n" % (title(task), task.task, task.state, deed(task)))
    frame.select()
    gdb.execute("frame")


class TaskCommand(gdb.Command):
    """orrery task N: look at the stack of this task; frames, arguments and variables are its own.
    Without N: at that of the task which runs. What happens next is the same."""

    def __init__(self):
        super().__init__("orrery task", gdb.COMMAND_STACK)

    def invoke(self, argument, _from_tty):
        view = look()
        wanted = number_in(argument, "task") if argument else view.running
        if wanted >= len(view.tasks):
            raise gdb.GdbError("there is no task %s: see 'orrery tasks'" % (argument or "running"))
        select(view.tasks[wanted])


class RankCommand(gdb.Command):
    """orrery rank R: look at the stack of this rank's first task."""

    def __init__(self):
        super().__init__("orrery rank", gdb.COMMAND_STACK)

    def invoke(self, argument, _from_tty):
        wanted = number_in(argument, "rank")
        tasks = [task for task in look().tasks if task.rank == wanted]
        if not tasks:
            raise gdb.GdbError("there is no rank %d: see 'orrery tasks'" % wanted)
        select(tasks[0])


class Messages(gdb.Command):
    """orrery messages: what was sent and not received, and the receives that wait for more."""

    def __init__(self):
        super().__init__("orrery messages", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        view = look()
        rows = [
            [
                "%d.%d" % (one.sender, one.number),
                one.source,
                one.destination,
                one.tag,
                one.size_bytes,
                one.state,
                duration(one.date_ps) if one.date_ps >= 0 else "",
            ]
            for one in view.messages
        ]
        if rows:
            table(["sent by", "from", "to", "tag", "bytes", "state", "arrives"], rows)
        else:
            gdb.write("no message is under way\n")
        rows = [
            ["%d.%d" % (one.task, one.number), one.rank, any_or(one.source), any_or(one.tag)]
            for one in view.receives
        ]
        if rows:
            table(["begun by", "at", "from", "tag"], rows)
        else:
            gdb.write("no receive is open\n")


class When(gdb.Command):
    """orrery when: the virtual time, and how far the run and the running task have come."""

    def __init__(self):
        super().__init__("orrery when", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        view = look()
        words = "%s, after step %d" % (duration(view.now_ps), view.steps)
        if view.running != NOBODY:
            task = view.tasks[view.running]
            words += "; %s (task %d) has begun %s" % (title(task), task.task, operations(task))
        gdb.write(words + "\n")


class Break(gdb.Command):
    """orrery break EXPR: stop where this first holds, at an operation of any task.
    In EXPR, NAME@RANK is a global or static variable of that rank:
    orrery break sent@0 > received@1 + 10. Members and elements can follow: state@2.count.
    Without EXPR: list them."""

    def __init__(self):
        super().__init__("orrery break", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument, _from_tty):
        known = STOPS.predicates
        if not argument:
            for one in known:
                gdb.write("%d: %s\n" % (one.number, one.text))
            if not known:
                gdb.write("there is none: orrery break EXPR\n")
            return
        predicate = Predicate(known[-1].number + 1 if known else 1, argument)
        if is_alive():
            with kept_frame():
                predicate.held = predicate.check()
        known.append(predicate)
        if is_alive():
            STOPS.watch()
        gdb.write("%d: %s%s\n" % (predicate.number, argument, " (it holds now)" if predicate.held else ""))


class Delete(gdb.Command):
    """orrery delete N: forget what 'orrery break' has numbered so."""

    def __init__(self):
        super().__init__("orrery delete", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument, _from_tty):
        number = number_in(argument, "number of 'orrery break'")
        known = STOPS.predicates
        if number not in [one.number for one in known]:
            raise gdb.GdbError("there is no %d: 'orrery break' lists them" % number)
        STOPS.predicates = [one for one in known if one.number != number]
        if is_alive():
            STOPS.watch()


class Until(gdb.Command):
    """orrery until EVENT: go on to this event: 2:17 (operation 17 of rank 2), 3.17 (of task 3), or a
    virtual time, 1.5ms."""

    def __init__(self):
        super().__init__("orrery until", gdb.COMMAND_RUNNING)

    def invoke(self, argument, _from_tty):
        event = Event(argument)
        event.check(look())
        if event.is_past(look()):
            raise gdb.GdbError("%s is over: 'orrery back %s'" % (argument, argument))
        Control().aim_at(event)
        STOPS.awaited = event.text
        gdb.execute("continue")


WATCHPOINTS = (
    gdb.BP_WATCHPOINT, gdb.BP_HARDWARE_WATCHPOINT, gdb.BP_READ_WATCHPOINT, gdb.BP_ACCESS_WATCHPOINT
)


def run_anew(breakpoints):
    """With each file that is loaded gdb looks for what is watched, and takes it up again with the
    program: until then it says each time that there is none."""
    watched = {str(one.number) for one in breakpoints if one.type in WATCHPOINTS}
    if not watched:
        gdb.execute("run")
        return
    for line in gdb.execute("run", to_string=True).splitlines(True):
        complaint = re.match(r"Error in re-setting breakpoint (\d+): No symbol", line)
        if not complaint or complaint.group(1) not in watched:
            gdb.write(line)


class Back(gdb.Command):
    """orrery back EVENT: replay the run up to this event, which may be over. EVENT is as in 'orrery
    until'. Breakpoints stay."""

    def __init__(self):
        super().__init__("orrery back", gdb.COMMAND_RUNNING)

    def invoke(self, argument, _from_tty):
        event = Event(argument)
        if is_alive():
            event.check(look())
        BEGINNING.target = event
        enabled = [one for one in gdb.breakpoints() if one.enabled and one not in OURS]
        predicates, STOPS.predicates = STOPS.predicates, []
        try:
            # Those before it are not what was asked for.
            FINDINGS.enabled = False
            for one in enabled:
                one.enabled = False
            run_anew(enabled)
        finally:
            FINDINGS.enabled = True
            for one in enabled:
                if one.is_valid():
                    one.enabled = True
            STOPS.predicates = predicates
        if predicates and is_alive():
            STOPS.watch()
        if STOPS.awaited and is_alive():
            STOPS.awaited = ""
            raise gdb.GdbError(self.why_not(event))

    def why_not(self, event):
        words = "the run has come to this without %s" % event.text
        count = len(look().tasks)
        if event.task >= count:
            words += ": it has %d tasks, and no task %d" % (count, event.task)
        return words


def load():
    for command in (
        OrreryCommand, Tasks, TaskCommand, RankCommand, Messages, When, Break, Delete, Until, Back
    ):
        command()
    gdb.unwinder.register_unwinder(None, UNWINDER, replace=True)
    gdb.events.stop.connect(on_stop)
    gdb.events.cont.connect(on_continue)
    gdb.events.exited.connect(on_exit)
    gdb.events.new_objfile.connect(on_new_file)


load()
