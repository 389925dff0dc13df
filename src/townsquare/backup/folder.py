"""The folder of scheduled backups."""

from pathlib import Path

from townsquare.settings import Settings


def backup_folder(settings: Settings) -> Path:
    return Path(settings.backup_dir or Path(settings.data_dir) / "backups").absolute()


def backup_files(env: str, folder: Path) -> list[Path]:
    """Complete backups of the environment, the oldest first: a name has the time."""
    return sorted(folder.glob(f"{env}-[0-9]*T[0-9]*Z.backup"))


def newest_backup(env: str, folder: Path) -> float:
    """Seconds since 1970, or 0."""
    return max((one.stat().st_mtime for one in backup_files(env, folder)), default=0.0)
