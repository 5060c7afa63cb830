"""gtlib.data: mirror, cache, download; all checked."""

import functools
import gzip
import hashlib
import http.server
import threading

import pytest
import requests

import gtlib as gt
from gtlib import data


@pytest.fixture
def one_file(nothing_here, monkeypatch):
    """One known remote file, with its content."""
    content = b"a,b\n1,2\n"
    path = f"owner/repo/{'0' * 40}/data/table.csv"
    checksum = hashlib.sha256(content).hexdigest()
    monkeypatch.setattr(data, "checksums", lambda: {path: checksum})
    return path, content


@pytest.fixture
def cached(one_file, nothing_here):
    """Where the file is kept once it was downloaded."""
    return nothing_here / "gtlib" / one_file[0]


@pytest.fixture
def server(monkeypatch):
    """A server whose answers, (status, body) each, a test lists."""
    answers, asked = [], []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            status, body = answers.pop(0)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    httpd = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    serve = functools.partial(httpd.serve_forever, poll_interval=0.01)
    threading.Thread(target=serve, daemon=True).start()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(
        data, "URL", f"http://127.0.0.1:{httpd.server_port}/"
    )
    yield answers, asked
    httpd.shutdown()
    httpd.server_close()


@pytest.fixture
def no_network(monkeypatch):
    """Nobody answers; the list of what was asked nevertheless."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(data, "URL", "http://127.0.0.1:1/")
    asked, get = [], requests.get
    monkeypatch.setattr(
        requests, "get", lambda *a, **k: asked.append(a) or get(*a, **k)
    )
    return asked


@pytest.fixture
def mirror(nothing_here, monkeypatch):
    """Puts a file into the mirror under a path."""
    folder = nothing_here / "mirror"
    monkeypatch.setenv("GTLIB_MIRROR", str(folder))

    def put(path, content):
        file = folder / path
        file.parent.mkdir(parents=True)
        file.write_bytes(content)
        return file

    return put


class TestDownload:
    def test_a_file_is_downloaded_once(self, one_file, server, capfd):
        path, content = one_file
        answers, asked = server
        answers.append((200, content))
        assert data.file_location(path) == "remote"
        assert data.fetch(path).read_bytes() == content
        assert data.file_location(path) == "cached"
        assert data.fetch(path).read_bytes() == content
        assert asked == ["/" + path]
        assert capfd.readouterr() == ("", "")

    def test_a_passing_fault_is_tried_again(self, one_file, server):
        path, content = one_file
        answers, asked = server
        answers += [(503, b""), (200, b"cut off"), (200, content)]
        assert data.fetch(path).read_bytes() == content
        assert len(asked) == 3

    def test_a_lasting_fault_is_told(self, one_file, server):
        path, _ = one_file
        answers, asked = server
        answers += [(503, b"")] * 5
        with pytest.raises(
            gt.DatasetUnavailable, match=r"503.*GTLIB_MIRROR"
        ):
            data.fetch(path)
        assert len(asked) == 3

    def test_another_content_is_never_used(self, one_file, server, cached):
        path, _ = one_file
        server[0].extend([(200, b"other")] * 3)
        with pytest.raises(gt.DatasetUnavailable):
            data.fetch(path)
        assert data.file_location(path) == "remote"
        assert list(cached.parent.iterdir()) == []

    def test_a_damaged_cache_is_mended(self, one_file, server):
        path, content = one_file
        server[0].extend([(200, content)] * 2)
        kept = data.fetch(path)
        kept.write_bytes(b"damaged")
        assert data.fetch(path).read_bytes() == content

    @pytest.mark.parametrize("said, asks", [("1", False), ("0", True)])
    def test_whoever_chooses_to_be_offline_asks_no_network(
        self, one_file, server, cached, monkeypatch, said, asks
    ):
        path, content = one_file
        monkeypatch.setenv("GTLIB_OFFLINE", said)
        server[0].append((200, content))
        if asks:
            assert data.fetch(path).read_bytes() == content
        else:
            with pytest.raises(
                gt.DatasetUnavailable, match="GTLIB_OFFLINE"
            ):
                data.fetch(path)
        assert len(server[1]) == asks

    def test_without_network_it_says_so_and_remembers(
        self, one_file, no_network
    ):
        path, _ = one_file
        with pytest.raises(gt.DatasetUnavailable, match="no network"):
            data.fetch(path)
        tries = len(no_network)
        for _ in range(3):
            with pytest.raises(gt.DatasetUnavailable, match="no network"):
                data.fetch(path)
        assert len(no_network) == tries

    def test_what_is_cached_needs_no_network(
        self, one_file, cached, no_network
    ):
        path, content = one_file
        with pytest.raises(gt.DatasetUnavailable):
            data.fetch(path)
        cached.parent.mkdir(parents=True, exist_ok=True)
        cached.write_bytes(content)
        assert data.fetch(path) == cached

    def test_a_cache_that_cannot_be_written(
        self, one_file, server, monkeypatch, tmp_path
    ):
        path, content = one_file
        server[0].append((200, content))
        (tmp_path / "file").write_text("in the way")
        monkeypatch.setattr("pooch.os_cache", lambda _: tmp_path / "file")
        with pytest.raises(gt.DatasetUnavailable):
            data.fetch(path)


class TestMirror:
    def test_the_mirror_comes_first(self, one_file, cached, mirror):
        path, content = one_file
        file = mirror(path, content)
        cached.parent.mkdir(parents=True)
        cached.write_bytes(content)
        assert data.file_location(path) == "mirror"
        assert data.fetch(path) == file

    def test_then_the_cache(self, one_file, cached, mirror, no_network):
        path, content = one_file
        mirror("another", b"")
        cached.parent.mkdir(parents=True)
        cached.write_bytes(content)
        assert data.file_location(path) == "cached"
        assert data.fetch(path) == cached
        assert no_network == []

    def test_it_may_hold_the_file_gzipped(self, one_file, cached, mirror):
        path, content = one_file
        packed = mirror(f"{path}.gz", gzip.compress(content))
        assert data.file_location(path) == "mirror"
        assert data.fetch(path) == cached
        assert cached.read_bytes() == content
        assert list(packed.parent.iterdir()) == [packed]

    def test_it_is_unpacked_once(self, one_file, mirror, monkeypatch):
        path, content = one_file
        mirror(f"{path}.gz", gzip.compress(content))
        kept = data.fetch(path)
        monkeypatch.setattr("gzip.open", None)
        assert data.fetch(path) == kept

    @pytest.mark.parametrize(
        "content",
        [
            b"other",
            gzip.compress(b"other"),
            gzip.compress(b"a,b\n1,2\n")[:-9],
            gzip.compress(b"a,b\n1,2\n")[:10] + b"damaged",
        ],
        ids=["no gzip", "another file", "cut off", "damaged"],
    )
    @pytest.mark.parametrize("suffix", ["", ".gz"])
    def test_a_wrong_file_is_refused(
        self, one_file, cached, mirror, suffix, content
    ):
        path, _ = one_file
        file = mirror(path + suffix, content)
        with pytest.raises(ValueError, match="not the file that is exp"):
            data.fetch(path)
        assert file.read_bytes() == content
        assert not cached.exists()

    def test_a_mirror_that_lacks_the_file_is_named(
        self, one_file, mirror, no_network
    ):
        path, _ = one_file
        folder = mirror("another", b"").parent
        with pytest.raises(gt.DatasetUnavailable) as caught:
            data.fetch(path)
        assert str(folder) in str(caught.value)

    def test_a_file_that_unpacks_without_end_is_cut_off(
        self, one_file, cached, mirror, monkeypatch
    ):
        path, _ = one_file
        monkeypatch.setattr(data, "MOST_PARTS", 2)
        mirror(f"{path}.gz", gzip.compress(b"\0" * 2**24))
        read, of = [], gzip.GzipFile.read

        def counted(file, size=-1):
            read.append(len(part := of(file, size)))
            return part

        monkeypatch.setattr(gzip.GzipFile, "read", counted)
        with pytest.raises(ValueError, match="not the file that is exp"):
            data.fetch(path)
        assert sum(read) == 2 * 2**20
        assert not cached.exists()

    def test_a_file_just_so_large_is_unpacked(
        self, cached, one_file, mirror, monkeypatch
    ):
        path, _ = one_file
        content = b"\0" * 2 * 2**20
        known = {path: hashlib.sha256(content).hexdigest()}
        monkeypatch.setattr(data, "checksums", lambda: known)
        monkeypatch.setattr(data, "MOST_PARTS", 2)
        mirror(f"{path}.gz", gzip.compress(content))
        assert data.fetch(path).read_bytes() == content
