"""Is a survey refused an address on whose way others could read along?"""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.people.pages.addresses import Address, bound_socket, check_address, is_loopback

CERTIFICATE, KEY = Path("chain.pem"), Path("key.pem")


@pytest.mark.parametrize(
    ("address", "url"),
    [
        (Address(), "http://127.0.0.1:9000"),
        (Address("localhost"), "http://localhost:9000"),
        (Address("::1"), "http://[::1]:9000"),
        (Address("10.1.2.3", tls_certificate=CERTIFICATE, tls_key=KEY), "https://10.1.2.3:9000"),
        (Address("0.0.0.0", behind_proxy="https://judge.example/"), "https://judge.example"),
        (Address(behind_proxy="https://judge.example:8443"), "https://judge.example:8443"),
        (
            Address("0.0.0.0", tls_certificate=CERTIFICATE, tls_key=KEY, public_url="https://judge.example"),
            "https://judge.example",
        ),
    ],
)
def test_protected_addresses_and_what_participants_call_them(address: Address, url: str) -> None:
    assert check_address(address).url(9000) == url
    assert address.encrypted == url.startswith("https")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (Address("0.0.0.0"), "nothing would be encrypted"),
        (Address("192.168.1.5"), "nothing would be encrypted"),
        (Address("judge.example"), "nothing would be encrypted"),
        (Address("::"), "nothing would be encrypted"),
        (Address(tls_certificate=CERTIFICATE), "belong together"),
        (Address(tls_key=KEY), "belong together"),
        (Address(tls_certificate=CERTIFICATE, tls_key=KEY, behind_proxy="https://judge.example"), "Either"),
        (Address(behind_proxy="http://judge.example"), "--behind-proxy is 'http://judge.example'"),
        (Address(behind_proxy="https://judge.example/survey"), "without a path"),
        (Address(behind_proxy="judge.example"), "--behind-proxy is 'judge.example'"),
        (Address(behind_proxy="https://judge.example", proxy="*"), "--proxy-address is"),
        (Address(behind_proxy="https://judge.example", proxy="0.0.0.0/0"), "--proxy-address is"),
        (Address(behind_proxy="https://judge.example", proxy="front"), "--proxy-address is"),
        (Address(public_url="https://judge.example"), "--public-url goes with"),
        (Address("0.0.0.0", tls_certificate=CERTIFICATE, tls_key=KEY), "--public-url https://NAME"),
    ],
)
def test_unprotected_or_contradictory_addresses_are_refused(address: Address, said: str) -> None:
    with pytest.raises(UserError, match=said) as refused:
        check_address(address)
    assert refused.value.exit_code == 2


@given(st.ip_addresses())
def test_only_loopback_needs_no_protection(given_address: object) -> None:
    host = str(given_address)
    # 127.0.0.0/8 is loopback in RFC 1122, ::1 in RFC 4291; and ::ffff:127.x, the former written in the latter.
    own = host.startswith("127.") or host == "::1"
    if own:
        assert check_address(Address(host)).host == host
    elif not host.startswith("::ffff:7f"):
        assert not is_loopback(host)
        with pytest.raises(UserError):
            check_address(Address(host))


def test_a_port_that_is_taken_is_said_to_be() -> None:
    first = bound_socket("127.0.0.1", 0)
    port = first.getsockname()[1]
    with pytest.raises(UserError, match=f"port {port}: address already in use") as refused:
        bound_socket("127.0.0.1", port)
    assert "--port" in refused.value.remedy
    first.close()
    again = bound_socket("127.0.0.1", port)
    assert again.getsockname()[1] == port
    again.close()


def test_a_host_that_is_not_ours_is_refused() -> None:
    with pytest.raises(UserError, match=r"Cannot listen on 192\.0\.2\.1"):
        # 192.0.2.0/24 is set aside for documentation (RFC 5737): no machine has it.
        bound_socket("192.0.2.1", 0)
    with pytest.raises(UserError, match=r"Cannot listen on no-such-host\.invalid"):
        bound_socket("no-such-host.invalid", 0)


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_ipv6() -> None:
    try:
        listening = bound_socket("::1", 0)
    except UserError:
        pytest.skip("this machine has no IPv6 loopback")
    with socket.create_connection(("::1", listening.getsockname()[1]), 5) as connected:
        assert connected.getpeername()[:2] == listening.getsockname()[:2]
    listening.close()
