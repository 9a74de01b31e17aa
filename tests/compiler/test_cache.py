"""The cache on disk: whatever happens to its files, it gives back what was put, or nothing."""

from __future__ import annotations

import errno
import logging
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from hashlib import sha256
from pathlib import Path

import pytest

from quatrain import ArgumentError, QuatrainError
from quatrain.compiler import cache as module
from quatrain.compiler import private_files
from quatrain.compiler.cache import Cache, Contents

KEY = "0123456789abcdef" * 4
OTHER = "f" * 64
HOURS = 3600
posix = pytest.mark.skipif(os.name != "posix", reason="owners, modes and signals of POSIX")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "deep" / "cache"


@pytest.fixture
def cache(folder):
    return Cache(folder)


def digests(count):
    return [sha256(b"%d" % i).hexdigest() for i in range(count)]


def entry(cache, key=KEY):
    (file,) = cache.path.glob(f"{key}*")
    return file


def warnings(caplog):
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]


def infos(caplog):
    return [r.getMessage() for r in caplog.records if r.levelno == logging.INFO]


# What goes in comes out.


@pytest.mark.parametrize("payload", [b"", b"x", bytes(range(256)) * 4000], ids=len)
def test_what_was_put_is_what_comes_back(cache, folder, payload):
    assert cache.get(KEY) is None
    assert cache.put(KEY, payload) is True
    assert cache.get(KEY) == payload
    assert cache.get(OTHER) is None
    assert Cache(folder).get(KEY) == payload
    assert cache.size() == entry(cache).stat().st_size


def test_a_second_put_replaces_the_first(cache):
    cache.put(KEY, b"first")
    cache.put(KEY, b"second")
    assert cache.get(KEY) == b"second"
    assert cache.contents().entries == 1


@posix
def test_the_directory_is_made_by_the_first_put_and_for_the_user_alone(cache, folder):
    before = os.umask(0)
    try:
        assert cache.get(KEY) is None
        assert cache.contents() == cache.clear() == Contents(0, 0)
        assert not folder.exists()
        cache.put(KEY, b"code")
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == folder.parent.stat().st_mode & 0o777 == 0o700
    assert entry(cache).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "key", ["", "abc", "0" * 15, "0" * 129, "ABCDEF0123456789", "../" + KEY, KEY + "\n", "é" * 32, "g" * 64]
)
def test_a_key_that_is_no_digest_is_an_error(cache, key):
    for act in (lambda: cache.get(key), lambda: cache.put(key, b"code"), lambda: Cache(None).get(key)):
        with pytest.raises(ArgumentError, match=r"a key of the cache is 16 to 128 hexadecimal digits"):
            act()
    with pytest.raises(ArgumentError, match=r"key is '7';.*\n  To fix: pass the hexdigest\(\) of a hash\."):
        cache.get(7)


@pytest.mark.parametrize("key", ["0123456789abcdef", "0" * 32, "e" * 128])
def test_digests_of_every_usual_length_are_keys(cache, key):
    assert cache.put(key, b"code")
    assert cache.get(key) == b"code"


def test_a_cache_pickles_as_its_place_and_its_limit(cache):
    cache.put(KEY, b"code")
    again = pickle.loads(pickle.dumps(cache))
    assert (again.path, again.limit, again.get(KEY)) == (cache.path, cache.limit, b"code")
    assert repr(again) == repr(cache) == f"Cache({str(cache.path)!r}, limit={1 << 30})"
    assert repr(Cache(None, 5)) == "Cache(None, limit=5)"


def test_a_disabled_cache_holds_nothing_and_says_nothing(caplog):
    cache = Cache(None)
    assert cache.put(KEY, b"code") is False
    assert cache.get(KEY) is None
    assert (cache.size(), cache.clear()) == (0, Contents(0, 0))
    assert caplog.records == []
    assert "switched off.\n  To fix: unset QUATRAIN_CACHE" in str(cache.problem())


# Damaged and foreign entries.


def flip(file, place):
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    file.write_bytes(data)


DAMAGE = {
    "first byte": (lambda f: flip(f, 0), "another layout"),
    "version": (lambda f: flip(f, 8), "another layout"),
    "length of the key": (lambda f: flip(f, 12), "another key"),
    "length": (lambda f: flip(f, 16), "length is wrong"),
    "checksum": (lambda f: flip(f, 30), "checksum is wrong"),
    "key": (lambda f: flip(f, 60), "another key"),
    "payload": (lambda f: flip(f, 200), "checksum is wrong"),
    "last byte": (lambda f: flip(f, -1), "checksum is wrong"),
    "empty": (lambda f: os.truncate(f, 0), "cut short"),
    "within the header": (lambda f: os.truncate(f, 40), "cut short"),
    "within the key": (lambda f: os.truncate(f, 70), "cut short"),
    "within the payload": (lambda f: os.truncate(f, 500), "length is wrong"),
    "one byte short": (lambda f: os.truncate(f, f.stat().st_size - 1), "length is wrong"),
    "one byte long": (lambda f: f.write_bytes(f.read_bytes() + b"\0"), "length is wrong"),
    "zeros, as after a power failure": (lambda f: f.write_bytes(bytes(f.stat().st_size)), "another layout"),
    "of another program": (lambda f: f.write_bytes(b"\x7fELF" * 300), "another layout"),
    "group may write": (lambda f: f.chmod(0o620), "others can write to it"),
    "all may write": (lambda f: f.chmod(0o602), "others can write to it"),
}


@posix
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_entry_is_a_miss_and_is_removed(cache, caplog, damage):
    caplog.set_level(logging.INFO, "quatrain")
    cache.put(KEY, bytes(1000))
    hurt, reason = DAMAGE[damage]
    file = entry(cache)
    hurt(file)
    assert cache.get(KEY) is None
    assert not file.exists()
    assert len(infos(caplog)) == 1
    assert reason in infos(caplog)[0]
    assert warnings(caplog) == []
    assert cache.put(KEY, b"made again")
    assert cache.get(KEY) == b"made again"


def test_an_entry_under_the_name_of_another_is_a_miss(cache):
    cache.put(KEY, b"code")
    entry(cache).rename(cache.path / entry(cache).name.replace(KEY, OTHER))
    assert cache.get(OTHER) is None
    assert cache.contents().entries == 0


@posix
def test_a_link_in_place_of_an_entry_is_removed_and_what_it_names_is_left(cache, tmp_path, caplog):
    caplog.set_level(logging.INFO, "quatrain")
    cache.put(KEY, b"code")
    elsewhere = tmp_path / "elsewhere"
    file = entry(cache)
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    assert cache.get(KEY) is None
    assert not file.is_symlink()
    assert elsewhere.exists()
    assert "symbolic link" in infos(caplog)[0]


@posix
def test_a_pipe_in_place_of_an_entry_does_not_make_us_wait(cache):
    cache.put(OTHER, b"code")
    os.mkfifo(cache.path / entry(cache, OTHER).name.replace(OTHER, KEY))
    assert cache.get(KEY) is None
    assert cache.put(KEY, b"code")
    assert cache.get(KEY) == b"code"


def test_a_directory_in_place_of_an_entry_is_a_miss_and_one_warning(cache, caplog):
    cache.put(OTHER, b"code")
    (cache.path / entry(cache, OTHER).name.replace(OTHER, KEY)).mkdir()
    assert cache.get(KEY) is None
    assert cache.put(KEY, b"code") is False
    assert len(warnings(caplog)) == 1
    assert cache.get(OTHER) == b"code"


@posix
def test_an_entry_of_another_user_is_a_miss(cache, caplog, monkeypatch):
    caplog.set_level(logging.INFO, "quatrain")
    cache.put(KEY, b"code")
    file = entry(cache)
    if os.geteuid() == 0:  # who may really give it away
        os.chown(file, 12345, -1)
    else:
        monkeypatch.setattr(private_files, "_user", lambda: os.geteuid() + 1)
    assert cache.get(KEY) is None
    assert "belongs to another user" in infos(caplog)[0]
    assert not file.exists()


# Directories that others can change.


def refused(cache, caplog, *words):
    """It is not used at all, and one warning says why and what to do."""
    assert cache.put(KEY, b"code") is False
    assert cache.put(KEY, b"code") is False
    assert cache.get(KEY) is None
    assert cache.contents() == cache.clear() == Contents(0, 0)
    (message,) = warnings(caplog)
    for word in (*words, "To fix: ", "set QUATRAIN_CACHE to a directory of your own", str(cache.path)):
        assert word in message
    assert isinstance(cache.problem(), QuatrainError)
    assert str(cache.problem()) == message
    return True


@posix
@pytest.mark.parametrize("mode", [0o770, 0o720, 0o702, 0o777, 0o1777])
def test_a_directory_that_others_may_write_to_is_not_used(folder, caplog, mode):
    Cache(folder).put(KEY, b"code")
    folder.chmod(mode)
    assert refused(Cache(folder), caplog, "can be written to by others", f"chmod go-w {folder}")
    assert len(list(folder.iterdir())) == 1
    folder.chmod(0o755)
    assert Cache(folder).get(KEY) == b"code"


@posix
def test_a_directory_of_another_user_is_not_used(folder, caplog, monkeypatch):
    Cache(folder).put(KEY, b"code")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert refused(Cache(folder), caplog, "belongs to another user")


@posix
def test_a_directory_that_all_may_replace_is_not_used_and_not_made(folder, caplog):
    shared = folder.parent
    shared.mkdir()
    shared.chmod(0o777)
    assert refused(Cache(folder), caplog, "could be replaced by anyone", f"chmod o-w {shared}")
    assert not folder.exists()
    shared.chmod(0o1777)  # as /tmp is: nobody can rename what is another's
    assert Cache(folder).put(KEY, b"code")


@posix
def test_a_directory_made_by_another_just_before_us_is_not_used(folder, caplog, monkeypatch):
    def quicker(directory):
        directory.mkdir(parents=True)
        directory.chmod(0o777)

    monkeypatch.setattr(module, "make_directory", quicker)
    assert Cache(folder).put(KEY, b"code") is False
    assert "can be written to by others" in warnings(caplog)[0]


@posix
def test_a_link_to_a_directory_of_ones_own_is_followed_when_the_cache_is_opened(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    cache = Cache(tmp_path / "link")
    assert cache.path == (tmp_path / "real").resolve()
    assert cache.put(KEY, b"code")
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o700


@posix
def test_a_directory_that_became_a_link_is_not_used(folder, tmp_path, caplog):
    cache = Cache(folder)
    folder.parent.mkdir()
    folder.symlink_to(tmp_path)
    assert refused(cache, caplog, "is not a directory")


@posix
def test_a_place_below_a_file_is_not_used(tmp_path, caplog):
    (tmp_path / "file").write_text("no directory")
    assert refused(Cache(tmp_path / "file" / "cache"), caplog, "Not a directory")


def test_a_directory_that_cannot_be_made_is_not_used(folder, caplog, monkeypatch):
    def deny(self, mode=0o777, parents=False, exist_ok=False):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "mkdir", deny)
    cache = Cache(folder)
    assert cache.put(KEY, b"code") is cache.put(KEY, b"code") is False
    (message,) = warnings(caplog)
    assert f"{folder} cannot be made (Permission denied)" in message


@posix
def test_without_owners_and_modes_the_directory_is_taken_as_it_is(folder, monkeypatch, caplog):
    """As on Windows, where Python has no geteuid."""
    monkeypatch.delattr(os, "geteuid")
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    cache = Cache(folder)
    assert cache.put(KEY, b"code")
    assert cache.get(KEY) == b"code"
    assert cache.clear().entries == 1
    assert caplog.records == []


def test_an_entry_that_is_being_read_and_cannot_be_replaced_is_as_good(cache, monkeypatch, caplog):
    """As on Windows, where an open file is not replaced."""

    def deny(*paths):
        raise PermissionError(errno.EACCES, "in use")

    cache.put(KEY, b"code")
    monkeypatch.setattr(os, "replace", deny)
    assert cache.put(KEY, b"code") is True
    assert caplog.records == []
    assert cache.put(OTHER, b"code") is False
    assert "cannot be written (in use)" in warnings(caplog)[0]
    assert len(list(cache.path.iterdir())) == 1


# Full and failing disks.


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_full_disk_costs_one_warning(cache, caplog, monkeypatch):
    cache.put(KEY, b"before")
    # The kernel's own answer: every write to this device says that it is full.
    monkeypatch.setattr(module, "open_to_write", lambda path, flags: os.open("/dev/full", os.O_WRONLY))
    for payload in (b"small", bytes(1 << 20)):
        assert cache.put(OTHER, payload) is False
    (message,) = warnings(caplog)
    assert "cannot be written (No space left on device)" in message
    assert cache.get(KEY) == b"before"


@posix
def test_a_disk_that_fills_in_mid_write_leaves_nothing_behind(cache, caplog):
    import resource

    cache.put(KEY, b"before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The kernel writes half of it and then refuses; Python has the signal of this limit ignored.
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, limits[1]))
    try:
        assert cache.put(OTHER, bytes(1 << 20)) is False
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "cannot be written (File too large)" in warnings(caplog)[0]
    assert [file.name for file in cache.path.iterdir()] == [entry(cache).name]
    assert cache.put(OTHER, bytes(1 << 20))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT, errno.EIO])
def test_no_fault_of_the_disk_raises(cache, caplog, monkeypatch, number):
    def fail(*arguments, **options):
        raise OSError(number, os.strerror(number))

    cache.put(KEY, b"code")
    for name in ("replace", "open", "scandir"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, fail)
            if name != "scandir":
                assert cache.put(OTHER, b"code") is False
            assert cache.get(OTHER) is None
            assert cache.size() == (0 if name == "scandir" else entry(cache).stat().st_size)
    assert len(warnings(caplog)) == 1
    assert os.strerror(number) in warnings(caplog)[0]
    assert cache.get(KEY) == b"code"


def test_ctrl_c_in_mid_write_leaves_nothing_behind(cache, monkeypatch):
    def interrupt(*paths):
        raise KeyboardInterrupt

    cache.put(KEY, b"code")
    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        cache.put(OTHER, b"code")
    assert len(list(cache.path.iterdir())) == 1


def test_clear_says_what_it_could_not_remove(cache, monkeypatch):
    cache.put(KEY, b"code")

    def deny(path):
        raise PermissionError(errno.EACCES, "in use")

    monkeypatch.setattr(os, "unlink", deny)
    with pytest.raises(
        QuatrainError, match=r"1 files could not be removed from .*\n  To fix: see that you may"
    ):
        cache.clear()


# Several at once.


def write_often(path, payload, start, results):
    cache = Cache(path)
    start.wait()
    results.put([(cache.put(KEY, payload), cache.get(KEY) == payload) for _ in range(100)])


def test_processes_that_write_the_same_key_at_once_all_find_it(folder):
    context = multiprocessing.get_context("spawn")
    start, results = context.Barrier(2), context.Queue()
    payload = bytes(range(256)) * 2000
    writers = [context.Process(target=write_often, args=(folder, payload, start, results)) for _ in range(2)]
    for writer in writers:
        writer.start()
    found = [results.get(timeout=60) for _ in writers]
    for writer in writers:
        writer.join(60)
    assert found == [[(True, True)] * 100] * 2
    assert Cache(folder).get(KEY) == payload
    assert len(list(folder.iterdir())) == 1


def test_threads_that_write_read_and_clear_never_see_a_wrong_byte(cache):
    payloads = {key: key.encode() * 500 for key in digests(4)}
    wrong, until = [], time.monotonic() + 1.0

    def work(act):
        while time.monotonic() < until:
            for key, payload in payloads.items():
                act(key, payload)

    def read(key, payload):
        found = cache.get(key)
        if found is not None and found != payload:
            wrong.append(key)

    acts = [cache.put, cache.put, read, read, lambda key, payload: cache.clear()]
    threads = [threading.Thread(target=work, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert all(cache.put(key, payload) and cache.get(key) == payload for key, payload in payloads.items())


def test_clear_while_an_entry_is_being_read_leaves_the_reader_its_bytes(cache, monkeypatch):
    payload = bytes(1 << 20)
    cache.put(KEY, payload)
    reading = module._read_entry

    def cleared_meanwhile(source, status, key):
        assert Cache(cache.path).clear().entries == 1
        return reading(source, status, key)

    monkeypatch.setattr(module, "_read_entry", cleared_meanwhile)
    assert cache.get(KEY) == payload
    assert cache.get(KEY) is None


def test_clear_while_an_entry_is_being_written_has_it_written_again(cache, monkeypatch):
    cache.put(OTHER, b"code")
    replace, calls = os.replace, []

    def cleared_before(old, new):
        if not calls:
            Cache(cache.path).clear()
        calls.append(new)
        replace(old, new)

    monkeypatch.setattr(os, "replace", cleared_before)
    assert cache.put(KEY, b"code")
    assert len(calls) == 2
    assert cache.get(KEY) == b"code"


@posix
def test_a_directory_removed_while_the_cache_is_open_is_made_again(cache, caplog):
    cache.put(KEY, b"code")
    shutil.rmtree(cache.path)
    assert cache.get(KEY) is None
    assert cache.contents() == Contents(0, 0)
    assert cache.put(KEY, b"code")
    assert cache.get(KEY) == b"code"
    assert cache.path.stat().st_mode & 0o777 == 0o700
    assert caplog.records == []


@posix
def test_a_directory_that_comes_back_as_another_is_looked_at_again(cache, caplog):
    cache.put(KEY, b"code")
    shutil.rmtree(cache.path.parent)
    cache.path.parent.mkdir()
    cache.path.parent.chmod(0o777)
    assert cache.put(KEY, b"code") is False
    assert "could be replaced by anyone" in warnings(caplog)[0]


def test_clear_leaves_files_that_are_not_the_caches(cache):
    cache.put(KEY, b"code")
    others = ["notes.txt", KEY, KEY + ".o", "thesis.quatrain", f"{KEY}.quatrain.bak"]
    for name in others:
        (cache.path / name).write_text("mine")
    assert cache.contents().entries == 1
    assert cache.clear().entries == 1
    assert {file.name for file in cache.path.iterdir()} == set(others)


@posix
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # NumPy's threads do not touch the cache
def test_a_forked_child_and_its_parent_share_a_cache(cache):
    cache.put(KEY, b"code")
    child = multiprocessing.get_context("fork").Process(target=cache.put, args=(OTHER, b"of the child"))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert (cache.get(KEY), cache.get(OTHER)) == (b"code", b"of the child")


KILLED_IN_MID_WRITE = """
import builtins, io, sys, time
from quatrain.compiler import cache

class Halting(io.FileIO):
    def write(self, data):
        count = super().write(data[: len(data) // 2])
        if len(data) > 1000:
            print("half", flush=True)
            time.sleep(600)
        return count

cache.open = lambda path, mode, opener: Halting(path, mode, opener=opener)
cache.Cache(sys.argv[1]).put(sys.argv[2], bytes(1 << 20))
"""


@posix
def test_a_killed_writer_leaves_a_miss_and_a_file_that_is_swept_after_an_hour(cache):
    writer = subprocess.Popen(
        [sys.executable, "-c", KILLED_IN_MID_WRITE, cache.path, KEY], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout.readline() == "half\n"
    writer.kill()
    assert writer.wait() == -signal.SIGKILL
    writer.stdout.close()
    (left,) = cache.path.iterdir()
    assert 1 << 19 <= left.stat().st_size < 1 << 20
    assert cache.get(KEY) is None
    assert cache.contents() == Contents(0, 0)
    assert cache.put(KEY, b"code")
    assert left.exists()  # its writer may still be at work, for all that is known
    old = time.time() - 2 * HOURS
    os.utime(left, (old, old))
    assert all(Cache(cache.path).put(key, b"code") for key in digests(500))
    assert not left.exists()
    assert cache.get(KEY) == b"code"


def test_clear_removes_what_a_killed_writer_left(cache):
    cache.put(KEY, b"code")
    left = cache.path / f"{KEY}-{'0' * 16}.quatrain-part"
    left.write_bytes(b"half")
    assert cache.clear().entries == 1
    assert list(cache.path.iterdir()) == []


# The limit.


def age(cache, key, hours):
    when = time.time() - hours * HOURS
    os.utime(entry(cache, key), (when, when))


def test_the_least_recently_used_go_first(folder):
    cache = Cache(folder, limit=100_000)
    names = digests(12)
    for i, key in enumerate(names[:9]):
        assert cache.put(key, bytes(10_000))
        age(cache, key, hours=20 - i)
    assert cache.get(names[0]) is not None  # used just now, though it is the oldest
    assert cache.put(names[9], bytes(10_000))
    assert [key for key in names if cache.get(key) is None] == [*names[1:3], *names[10:]]
    assert cache.size() <= 100_000 * 7 / 8


def test_what_was_just_written_stays_though_the_clock_went_back(folder):
    cache = Cache(folder, limit=50_000)
    names = digests(5)
    for key in names[:4]:
        cache.put(key, bytes(10_000))
        age(cache, key, hours=-5)
    assert cache.put(names[4], bytes(15_000))
    assert cache.get(names[4]) == bytes(15_000)
    assert cache.size() <= 50_000


def test_a_few_large_objects_never_pass_the_limit(folder):
    for i, key in enumerate(digests(100)):
        cache = Cache(folder, limit=50_000)  # opened anew each time, as by many short processes
        assert cache.put(key, bytes(1600 + 37 * i))
        assert cache.size() <= 50_000
        assert cache.get(key) is not None


def test_many_small_objects_hardly_pass_the_limit_and_are_seldom_looked_at(folder, monkeypatch):
    limit, scandir, calls, sizes = 1_000_000, os.scandir, [], []
    for i, key in enumerate(digests(1000)):
        with monkeypatch.context() as patch:
            patch.setattr(os, "scandir", lambda path: calls.append(path) or scandir(path))
            Cache(folder, limit).put(key, bytes(2000))
        if i % 20 == 0:
            sizes.append(Cache(folder).size())
    assert 90 <= len(calls) <= 180  # 1000 × 64 × 2120 / 1e6 = 136 on average
    assert 950_000 < max(sizes) < 1_125_000
    assert min(sizes[35:]) > 850_000


def test_an_object_larger_than_the_limit_is_not_kept(folder, caplog):
    caplog.set_level(logging.INFO, "quatrain")
    cache = Cache(folder, limit=1000)
    assert cache.put(KEY, b"code")
    assert cache.put(OTHER, bytes(2000)) is False
    assert "too large for the cache" in infos(caplog)[0]
    assert warnings(caplog) == []
    assert cache.get(KEY) == b"code"
    assert Cache(folder, limit=0).put(OTHER, b"") is False


def test_files_that_vanish_during_eviction_do_no_harm(folder, monkeypatch, caplog):
    for key in digests(10):
        Cache(folder).put(key, bytes(1000))
    unlink = os.unlink

    def another_was_quicker(path):
        unlink(path)
        unlink(path)

    monkeypatch.setattr(os, "unlink", another_was_quicker)
    cache = Cache(folder, limit=5000)
    assert cache.put(KEY, bytes(1000))
    assert cache.size() <= 5000
    assert warnings(caplog) == []


def test_reading_marks_an_entry_as_used_at_most_once_an_hour(cache, monkeypatch):
    marks, utime = [], os.utime
    cache.put(KEY, b"code")
    age(cache, KEY, hours=2)
    monkeypatch.setattr(os, "utime", lambda path: marks.append(path) or utime(path))
    for _ in range(5):
        cache.get(KEY)
    assert marks == [entry(cache)]
    assert time.time() - entry(cache).stat().st_mtime < 60


# The environment.


def test_the_place_is_the_users_own_or_what_the_variable_says(tmp_path, monkeypatch):
    import platformdirs

    usual = platformdirs.user_cache_dir("quatrain", appauthor=False)
    assert Cache.open({}).path == Path(usual).resolve()
    assert Cache.open({"QUATRAIN_CACHE": str(tmp_path / "a [b]")}).path == tmp_path / "a [b]"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Cache.open({"QUATRAIN_CACHE": "~/mine"}).path == tmp_path / "mine"
    monkeypatch.chdir(tmp_path)
    relative = Cache.open({"QUATRAIN_CACHE": "here/cache"})
    monkeypatch.chdir("/")
    assert relative.path == tmp_path / "here/cache"
    monkeypatch.setenv("QUATRAIN_CACHE", str(tmp_path / "later"))  # read when it is opened, not at import
    assert Cache.open().path == tmp_path / "later"


@pytest.mark.parametrize("word", ["off", "OFF", "0", "", " "])
def test_the_variable_switches_it_off(word, caplog):
    cache = Cache.open({"QUATRAIN_CACHE": word})
    assert cache.path is None
    assert cache.put(KEY, b"code") is False
    assert caplog.records == []


@pytest.mark.parametrize("word", ["on", "1", "yes", "False", "none"])
def test_a_word_that_is_no_place_is_an_error(word):
    with pytest.raises(
        ArgumentError, match=rf"QUATRAIN_CACHE is '{word}', which names no directory\.\n  To fix"
    ):
        Cache.open({"QUATRAIN_CACHE": word})


def test_without_a_home_there_is_no_cache_and_one_warning(monkeypatch, caplog):
    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # what it does for a user without one
    cache = Cache.open({})
    assert cache.path is None
    assert "no home directory is known" in warnings(caplog)[0]
    assert "To fix: set QUATRAIN_CACHE" in warnings(caplog)[0]


LIMITS = {
    "": 1 << 30,
    "12345": 12345,
    "500MB": 500_000_000,
    "500 mb": 500_000_000,
    "64KiB": 65536,
    "1.5GiB": 3 << 29,
    "2GB": 2_000_000_000,
    "1TB": 10**12,
    "7B": 7,
    "0": 0,
}


@pytest.mark.parametrize("text", LIMITS)
def test_the_limit_is_a_number_of_bytes_with_or_without_a_unit(text):
    assert Cache.open({"QUATRAIN_CACHE": "off", "QUATRAIN_CACHE_LIMIT": text}).limit == LIMITS[text]


@pytest.mark.parametrize(
    "text", ["-1", "much", "1e9", "5G", "nan", "500 M B", "1_000", "٣", "9" * 5000, "1.", "MB"]
)
def test_a_limit_that_is_no_number_of_bytes_is_an_error(text):
    with pytest.raises(
        ArgumentError,
        match=r"QUATRAIN_CACHE_LIMIT is '.*', which is not a number of bytes\.\n  To fix: .* such as .*500MB",
    ):
        Cache.open({"QUATRAIN_CACHE_LIMIT": text})


# Speed, and what an import costs.


def test_a_megabyte_is_read_in_well_under_five_milliseconds(cache):
    """Nearly all of it is the checksum: 0.6 ms with the processor's instructions for it, 2.5 ms without."""
    cache.put(KEY, os.urandom(1 << 20))
    times = []
    for _ in range(20):
        start = time.perf_counter()
        assert cache.get(KEY) is not None
        times.append(time.perf_counter() - start)
    assert min(times) < 4e-3


def test_importing_the_cache_loads_no_library_but_numpy():
    code = "import sys, quatrain.compiler.cache; print(*{m.split('.')[0] for m in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"platformdirs", "typer", "rich", "llvmlite"}.isdisjoint(loaded.stdout.split())
