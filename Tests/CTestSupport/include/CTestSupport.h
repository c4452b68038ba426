// Linking this target is enough; nothing needs to be called (see signals.c).
