import typer


def add_commands(app: typer.Typer) -> None:
    """Registers nothing yet."""
