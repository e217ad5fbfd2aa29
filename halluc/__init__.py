"""Train vision-language models to stop saying yes to what is not in the picture."""

import logging

# bitsandbytes, which PEFT imports, complains on import that optional CPU kernels are not installed.
logging.getLogger("bitsandbytes.backends.cpu.ops").setLevel(logging.ERROR)

__version__ = "0.1.0"
