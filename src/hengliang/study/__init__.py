"""Studies: Study, Run, the stages in between, and what a run folder says of itself."""
