"""The version of the package, as commands and servers tell it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def package_version() -> str:
    """The installed version; ``0`` from a source tree."""
    try:
        return version("onrecord")
    except PackageNotFoundError:
        return "0"
