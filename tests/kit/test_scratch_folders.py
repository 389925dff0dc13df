import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from townsquare.kit.scratch_folders import delete_abandoned_folders, scratch_folder

HOLDER = """
import pathlib
from townsquare.kit.scratch_folders import scratch_folder

with scratch_folder() as folder:
    pathlib.Path(folder, "upload").write_text("comments")
    print(folder, flush=True)
    input()
"""


@pytest.fixture(autouse=True)
def temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_a_folder_is_deleted_with_its_block(temporary_files: Path) -> None:
    with scratch_folder() as folder:
        (folder / "file").write_text("text")
        assert [*temporary_files.iterdir()] == [folder]
    assert not [*temporary_files.iterdir()]


def test_the_folder_of_a_killed_process_is_deleted_and_no_other(temporary_files: Path) -> None:
    with (
        scratch_folder() as ours,
        subprocess.Popen([sys.executable, "-c", HOLDER], stdin=-1, stdout=-1, text=True) as holder,
    ):
        assert holder.stdout
        theirs = Path(holder.stdout.readline().strip())
        delete_abandoned_folders()
        assert (theirs / "upload").read_text() == "comments"
        holder.kill()
        holder.wait()
        assert theirs.exists()
        with scratch_folder():
            assert not theirs.exists()
        assert ours.exists()
    assert not [*temporary_files.iterdir()]


def test_a_link_with_the_name_of_a_folder_is_not_followed(temporary_files: Path) -> None:
    kept = temporary_files / "kept"
    kept.mkdir()
    (temporary_files / "townsquare-scratch-link").symlink_to(kept)
    delete_abandoned_folders()
    assert kept.exists()
