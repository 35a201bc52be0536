"""`python -m rankmark` is the command `rankmark`."""

import sys

from rankmark.cli import main

sys.exit(main())
