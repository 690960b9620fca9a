"""Addresses: canonical form, key, site, partition, traps."""
