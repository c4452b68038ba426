"""Shared code of the scripts.

- `shell`: builds and installs, by the rules of scripts/common.sh
- `processes`: a program that is started, watched and ended
- `sandbox`: an ipnd in its own folder
- `notifications`: signed requests
- `senders`: connections that send them and record the answers
- `clients`: writes and checks the models of config/clients
- `bench`, `crash`, `hostile`, `cluster`, `soak`: one package for each experiment
"""
