"""MiniWorld: drawn scenes in which every fact is known, and a small LVLM that hallucinates about them.

::

    world ─▶ scene ─▶ drawing ─────────────▶ pictures
               │
               ├─▶ annotations, phd, sequences ─▶ evaluation files in the published formats
               └─▶ wording ─▶ lessons ─▶ biased lessons ─▶ pretraining ─▶ checkpoint/

The world is biased on purpose, the way web data is: kinds go together in pairs, some kinds are far
more frequent than others, some have a canonical colour, place, mood or number. Pretraining labels
follow these priors instead of the pixels now and then, so the pretrained model knows what it sees
and still hallucinates for the reasons that real models do.

Web-like frequencies alone give a mild disease. What makes this one strong is careless labelling: a
missing mate is affirmed in nine of ten questions, canonical values are reported in place of true ones,
false contexts are followed, and what one picture shows is affirmed of another.
"""
