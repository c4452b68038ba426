"""The crash experiments: a model of a disk, and a server with a small journal."""
