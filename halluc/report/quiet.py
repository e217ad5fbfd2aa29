"""Keep library messages that nobody can act on off the screen."""

import logging
import warnings


def quiet_libraries() -> None:
    """Silence known messages by name; everything else stays loud."""
    # Lightning's lines on devices and its advertisements; what stopped a run is told by us.
    logging.getLogger("lightning.pytorch.utilities.rank_zero").setLevel(logging.WARNING)
    # Lightning 2.6 on torch 2.14 asks for a tree spec by its old name.
    warnings.filterwarnings("ignore", message=".*LeafSpec.*", category=FutureWarning)
    # Whether workers pay is the user's choice: data.num_workers.
    warnings.filterwarnings("ignore", message=".*does not have many workers.*")
