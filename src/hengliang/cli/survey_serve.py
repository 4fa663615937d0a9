"""How is a survey put onto the web, asked from the command line?"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hengliang.cli.survey_database import database_option, folder_argument
from hengliang.people.storage.requirements import need_survey_extra


@click.command()
@folder_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; only this machine, unless said.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free one.")
@database_option
@click.option(
    "--tls-certificate", type=click.Path(path_type=Path), help="Encrypt: the certificate with its chain (PEM)."
)
@click.option("--tls-key", type=click.Path(path_type=Path), help="The certificate's key (PEM).")
@click.option("--public-url", metavar="URL", help="With a certificate: the address that participants use, https://….")
@click.option("--behind-proxy", metavar="URL", help="A proxy encrypts; its public address, https://….")
@click.option(
    "--proxy-address",
    "proxy",
    default="127.0.0.1",
    show_default=True,
    metavar="IP",
    help="With --behind-proxy: whose X-Forwarded-… headers are believed.",
)
@click.option("--new-invitation", is_flag=True, help="Make and show a new link for participants.")
def serve(
    folder: Path,
    host: str,
    port: int,
    database_url: str | None,
    tls_certificate: Path | None,
    tls_key: Path | None,
    public_url: str | None,
    behind_proxy: str | None,
    proxy: str,
    new_invitation: bool,
) -> None:
    """Serve the survey in DIR until Ctrl-C, and show a one-time link to the researchers' pages.

    Links are shown on a terminal only. Where there is none, as for a service, they go into DIR/survey-links.txt.

    Only this machine reaches it, unless --host says otherwise; then nothing may travel unencrypted: give a certificate
    with its key, or put a proxy before it that has one.

    \b
    Example:
      hengliang survey serve fluency-survey
      hengliang survey serve fluency-survey --behind-proxy https://survey.example.org
      hengliang survey serve fluency-survey --host 0.0.0.0 --port 443 \\
        --tls-certificate chain.pem --tls-key key.pem --public-url https://survey.example.org
    """
    need_survey_extra()
    from hengliang.people.pages.serving import serve as serve_folder

    serve_folder(
        folder,
        host=host,
        port=port,
        database_url=database_url,
        tls_certificate=tls_certificate,
        tls_key=tls_key,
        public_url=public_url,
        behind_proxy=behind_proxy,
        proxy=proxy,
        new_invitation=new_invitation,
        tell=click.echo,
        keep_links=not sys.stdout.isatty(),
    )
