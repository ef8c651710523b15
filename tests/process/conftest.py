"""The folder of the process tests is importable: its helpers are mains of child processes too."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
