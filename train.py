"""Fine-tune a vision-language model and measure its hallucination every epoch.

Usage: ``python train.py model=qwen2vl data=jsonl data.path=train.jsonl``; every group and key of
``conf/`` can be overridden, ``-m`` sweeps, ``resume=RUN_DIR`` goes on with an interrupted run.
"""

import hydra
from omegaconf import DictConfig

from halluc.run import run


@hydra.main(config_path="conf", config_name="train", version_base="1.3")
def main(cfg: DictConfig) -> float | None:
    """Run one job; returns the selection score, which sweepers maximise."""
    return run(cfg)


if __name__ == "__main__":
    main()
