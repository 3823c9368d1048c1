"""``python -m onrecord`` is ``onrecord``."""

from onrecord.cli.main import main

main()
