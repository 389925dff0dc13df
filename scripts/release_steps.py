"""The steps of `scripts/release` after the guide: packages, list of components, licences, a first run."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
import venv
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any, NamedTuple

PROJECT = Path(__file__).parents[1]
DIST = PROJECT / "dist"
LOCK = PROJECT / "requirements.lock"
LOCKED = re.compile(r"^([a-z0-9.-]+)==([^ ;\\]+)", re.M)
PAGES = ("/", "/social", "/threads", "/widgets", "/docs", "/openapi.json", "/guide/index.html")
FILES = (
    "/components/comments.js",
    "/components/counter.js",
    "/assets/demo/loaf.svg",
    "/guide/search/search_index.json",
)
LARGEST_INSTALL = 80_000_000
PATIENCE = 60.0


class LockedPackage(NamedTuple):
    name: str
    version: str
    licence: str


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def build_twice() -> None:
    """The wheel and the sdist; the second build must have the same bytes."""
    build(DIST)
    with tempfile.TemporaryDirectory() as again:
        build(Path(again))
        for file in sorted(DIST.iterdir()):
            same = file.read_bytes() == (Path(again) / file.name).read_bytes()
            say(f"{digest(file)}  {file.name}  {'reproducible' if same else 'DIFFERS'}")
            if not same:
                raise SystemExit(f"two builds of {file.name} differ")


def build(folder: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(folder)]
    subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def packages() -> list[LockedPackage]:
    """Everything in the lock file that is installed here, with its licence."""
    found = LOCKED.findall(LOCK.read_text())
    return [LockedPackage(name, version, licence_of(name)) for name, version in found]


def licence_of(name: str) -> str:
    try:
        about = metadata(name)
    except PackageNotFoundError:
        return "not installed on this platform"
    classifiers = [one for one in about.get_all("Classifier") or [] if one.startswith("License ::")]
    named = (about.get_all("License-Expression") or [""])[0]
    short = (about.get_all("License") or [""])[0].strip().partition("\n")[0]
    return named or ", ".join(one.rpartition(" :: ")[2] for one in classifiers) or short or "unknown"


def write_components(found: list[LockedPackage]) -> None:
    """`sbom.cdx.json` in CycloneDX 1.6, and `licences.md`."""
    version = metadata("townsquare")["Version"]
    wheel = next(DIST.glob("*.whl"))
    at = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    ref = f"pkg:pypi/townsquare@{version}"
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest(wheel))}",
        "version": 1,
        "metadata": {
            "timestamp": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "name": "townsquare",
                "version": version,
                "bom-ref": ref,
                "purl": ref,
                "licenses": [{"license": {"id": "MIT"}}],
                "hashes": [{"alg": "SHA-256", "content": digest(wheel)}],
            },
        },
        "components": [component(one) for one in found],
        "dependencies": [{"ref": ref, "dependsOn": sorted(reference(one) for one in found)}],
    }
    (DIST / "sbom.cdx.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    rows = "\n".join(f"| {one.name} | {one.version} | {one.licence} |" for one in found)
    text = f"# Licences of the dependencies\n\n| package | version | licence |\n|---|---|---|\n{rows}\n"
    (DIST / "licences.md").write_text(text, encoding="utf-8")


def reference(one: LockedPackage) -> str:
    return f"pkg:pypi/{one.name}@{one.version}"


def component(one: LockedPackage) -> dict[str, Any]:
    ref = reference(one)
    return {
        "type": "library",
        "name": one.name,
        "version": one.version,
        "bom-ref": ref,
        "purl": ref,
        "licenses": [{"license": {"name": one.licence}}],
    }


def try_wheel() -> None:
    """Install the wheel into an empty environment, outside the checkout, and ask it for its pages."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "env", with_pip=True)
        python = folder / "env" / "bin" / "python"
        before = size_of(folder / "env")
        wheel = next(DIST.glob("*.whl"))
        subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], cwd=folder, check=True)
        size = size_of(folder / "env") - before
        say(f"installed, without extras: {size / 1e6:.1f} MB")
        command = [folder / "env" / "bin" / "townsquare"]
        subprocess.run([*command, "demo"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        serve = [*map(str, command), "serve", "--port", "0", "--log-format", "json"]
        for path, length in answers(serve, folder):
            say(f"  {path}  {length:,} bytes")
        subprocess.run([*command, "check"], cwd=folder, check=True)
        if size > LARGEST_INSTALL:
            raise SystemExit(f"the installation has more than {LARGEST_INSTALL / 1e6:.0f} MB")


def size_of(folder: Path) -> int:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())


def answers(command: list[str], folder: Path) -> Iterator[tuple[str, int]]:
    """The pages and files of a server, and their lengths. Raises if one is missing."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            url = address(server)
            for path in (*PAGES, *FILES):
                with urllib.request.urlopen(url + path, timeout=PATIENCE) as answer:
                    yield path, len(answer.read())
        finally:
            server.send_signal(signal.SIGTERM)


def address(server: "subprocess.Popen[str]") -> str:
    until = time.monotonic() + PATIENCE
    assert server.stdout is not None
    for line in server.stdout:
        event = json.loads(line) if line.startswith("{") else {}
        if event.get("event") == "serving":
            return str(event["url"])
        if time.monotonic() > until:
            break
    raise SystemExit("the server did not start")


def main() -> None:
    build_twice()
    write_components(packages())
    try_wheel()
    sums = "".join(f"{digest(file)}  {file.name}\n" for file in sorted(DIST.iterdir()))
    (DIST / "SHA256SUMS").write_text(sums)
    say("dist/: " + ", ".join(sorted(file.name for file in DIST.iterdir())))


if __name__ == "__main__":
    main()
