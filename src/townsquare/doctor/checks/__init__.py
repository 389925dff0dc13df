"""The checks of the doctor, one module per subject."""
