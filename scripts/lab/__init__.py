"""What the scripts beside this folder share.

- `shell`: what is built and installed, by the rules of scripts/common.sh
- `processes`: a program that is started, watched and ended
- `sandbox`: an ipnd in a folder of its own
- `notifications`: signed requests
- `senders`: connections that send them and keep a book of the answers
- `bench`, `crash`, `hostile`, `cluster`, `soak`: one package for each experiment
"""
