// Needs no call: linking it is enough (see signals.c).
