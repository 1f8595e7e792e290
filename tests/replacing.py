"""Code for a kernel under test: put another function in the place of one of the package's, wherever it is imported."""

# The package offers a function in its own module and from classroom or lab, and modules import from one another.
PUT = """
import sys
import posenc_helpers.classroom, posenc_helpers.lab

def put(old, new):
    ours = [module for name, module in sys.modules.items() if name.startswith("posenc_helpers")]
    for module in ours:
        for name in [name for name, value in vars(module).items() if value is old]:
            setattr(module, name, new)
"""
