"""Writes the typed models of config/clients from config/openapi.yaml.

`model` reads the schemas; `python`, `typescript`, `php` and `golang` write them. `check` runs the
results on what `genuine` makes with a real ipnd, each in the folder that `languages` prepares.
"""
