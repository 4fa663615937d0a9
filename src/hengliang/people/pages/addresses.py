"""Where does a survey listen, and who could read along on the way?

A survey listens on this machine alone, unless it is told how its addresses are protected: by a certificate of its own,
or by a proxy in front of it whose public address is stated.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from hengliang.core.errors import UserError


@dataclass(frozen=True, slots=True)
class Address:
    """Where a survey listens, and under which address its participants know it."""

    host: str = "127.0.0.1"
    port: int = 8000
    """0: any free one."""
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    behind_proxy: str | None = None
    """The public address, `https://…`, of a proxy that does the encryption."""
    proxy: str = "127.0.0.1"
    """Which machine's word about the original request is believed; only together with `behind_proxy`."""
    public_url: str | None = None
    """The public address where the certificate is our own; the host and the port, unless it is said."""

    @property
    def encrypted(self) -> bool:
        """Whether participants reach the survey by https."""
        return self.tls_certificate is not None or self.behind_proxy is not None

    def url(self, port: int) -> str:
        """Return the address that participants use when the survey listens on `port`."""
        told = self.behind_proxy or self.public_url
        if told:
            return told.rstrip("/")
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls_certificate else 'http'}://{host}:{port}"


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_address(address: Address) -> Address:
    """Return the address when nobody can read along on the way to it."""
    if (address.tls_certificate is None) != (address.tls_key is None):
        raise UserError(
            "A certificate and its key belong together.", valid="Both --tls-certificate FILE and --tls-key FILE."
        )
    if address.tls_certificate is not None and address.behind_proxy is not None:
        raise UserError(
            "Either the survey encrypts or the proxy does.",
            valid="--tls-certificate with --tls-key, or --behind-proxy https://….",
        )
    for option, given in (("--behind-proxy", address.behind_proxy), ("--public-url", address.public_url)):
        if given is not None:
            _check_public(option, given)
    if address.public_url is not None and address.tls_certificate is None:
        raise UserError(
            "--public-url goes with --tls-certificate.", remedy="Behind a proxy, say --behind-proxy instead."
        )
    if address.behind_proxy is not None:
        _check_proxy(address.proxy)
    if not is_loopback(address.host) and not address.encrypted:
        raise UserError(
            f"Other machines can reach {address.host}, and nothing would be encrypted on the way.",
            valid="--tls-certificate FILE with --tls-key FILE, or --behind-proxy https://… where a proxy encrypts.",
            remedy="Without --host only this machine reaches the survey.",
        )
    if address.host in {"0.0.0.0", "::"} and address.tls_certificate is not None and address.public_url is None:
        raise UserError(
            f"{address.host} is no address that participants could use.", remedy="Say also --public-url https://NAME."
        )
    return address


def _check_public(option: str, given: str) -> None:
    parts = urlsplit(given)
    if parts.scheme != "https" or not parts.hostname or parts.path.strip("/") or parts.query or parts.fragment:
        raise UserError(
            f"{option} is '{given}'.", valid="An address as https://survey.example.org, without a path of its own."
        )


def _check_proxy(given: str) -> None:
    """Refuse what is no machine or network, and the network of all machines."""
    try:
        stated = ipaddress.ip_network(given, strict=False).prefixlen > 0
    except ValueError:
        stated = False
    if not stated:
        raise UserError(f"--proxy-address is '{given}'.", valid="The proxy's own address, as 10.0.0.2 or 10.0.0.0/24.")


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that has the address for itself, so that no second server can answer there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    # A killed server leaves connections behind for a minute; a new one may listen at once.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(2048)
    except OSError as error:
        listening.close()
        raise UserError(
            f"Cannot listen on {host}, port {port}: {(error.strerror or str(error)).lower()}.",
            remedy="Choose another one with --port, or stop the program that listens there.",
        ) from error
    return listening
