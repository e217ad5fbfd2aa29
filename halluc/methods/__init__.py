"""Training methods as LightningModules over pure losses."""
