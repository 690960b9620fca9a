"""Hosts that a template names, to be banned or trusted."""

from __future__ import annotations

from collections.abc import Iterable

from focuscrawl.urls.sites import host_of


class Hosts:
    """A set of hosts with their subdomains; "=host" is the host alone."""

    def __init__(self, hosts: Iterable[str]) -> None:
        self._exact = {host.removeprefix("=") for host in hosts}
        self._with_subdomains = {host for host in hosts if not host.startswith("=")}

    def __contains__(self, site: str) -> bool:
        if not self._exact:
            return False
        host = host_of(site)
        if host in self._exact:
            return True
        while host:
            if host in self._with_subdomains:
                return True
            _, _, host = host.partition(".")
        return False
