"""Writes the typed models of config/clients from config/openapi.yaml.

`model` reads the schemas; each other module writes one language.
"""
