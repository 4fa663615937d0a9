"""What does a survey keep, in which tables?

One database serves one experiment. Secrets (session, resume, withdrawal, invitation, administration) are kept as
SHA-256 digests only. Times are UTC seconds since 1970 as floats, the same in SQLite and PostgreSQL. `events` is
appended to and never changed; it holds no answers and no free text, so that a withdrawal need not touch it.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# Counts up for ever; SQLite does so by itself only for a column of type INTEGER.
_SERIAL = BigInteger().with_variant(Integer(), "sqlite")

facts = Table(
    "facts",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
    comment="design (digest of what is served), secret (key of form tokens), state (open or closed), created",
)

invitations = Table(
    "invitations",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("token", String(64), nullable=False, unique=True, comment="digest"),
    Column("kind", String(16), nullable=False, comment="real, pilot, simulated or preview"),
    Column("label", Text, nullable=False, default=""),
    Column("uses", Integer, nullable=True, comment="how often it may be used; null: any number of times"),
    Column("used", Integer, nullable=False, default=0),
    Column("version", Text, nullable=True, comment="the list it leads to; null: the least filled"),
    Column("created", Float, nullable=False),
    Column("revoked", Float, nullable=True),
)

participants = Table(
    "participants",
    metadata,
    Column("id", String(16), primary_key=True, comment="random; the pseudonym in every export"),
    Column("kind", String(16), nullable=False, comment="real, pilot, simulated or preview"),
    Column("status", String(16), nullable=False, comment="active, finished, withdrawn, excluded or expired"),
    Column("invitation", String(16), ForeignKey("invitations.id"), nullable=True),
    Column("resume", String(64), nullable=True, unique=True, comment="digest of the link to go on elsewhere"),
    Column("withdrawal", String(64), nullable=True, unique=True, comment="digest of the code that deletes"),
    Column("completion", String(64), nullable=True, comment="the code shown at the end"),
    Column("external", String(128), nullable=True, comment="a panel's id (Prolific), personal data"),
    Column("language", String(2), nullable=False),
    Column("version", Text, nullable=False),
    Column("number", Integer, nullable=False, comment="ordinal within kind and list, from 0; orders follow from it"),
    Column("seed", BigInteger, nullable=False),
    Column("order", Text, nullable=False, comment="JSON: rows of the list, in the order in which they are shown"),
    Column("step", Integer, nullable=False, default=0, comment="the current page; the server's alone"),
    Column("steps", Integer, nullable=False, comment="how many pages there are"),
    Column("since", Float, nullable=False, comment="since when the current page is the current one"),
    Column("consent", String(64), nullable=False, comment="version and digest of the text that was agreed to"),
    Column("consented", Float, nullable=False),
    Column("seen", Float, nullable=False, comment="last sign of life"),
    Column("reserved", Float, nullable=True, comment="until when the place on the list is held; null: no longer"),
    Column("ended", Float, nullable=True),
    Column("reason", Text, nullable=False, default="", comment="why excluded"),
    Index("ix_participants_kind_version_status", "kind", "version", "status"),
    # A panel's person takes part once; null external ids are not compared.
    UniqueConstraint("kind", "external"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("token", String(64), primary_key=True, comment="digest of the cookie; one a device"),
    Column("participant", String(16), ForeignKey("participants.id"), nullable=False, index=True),
    Column("created", Float, nullable=False),
)

details = Table(
    "details",
    metadata,
    Column("participant", String(16), ForeignKey("participants.id"), primary_key=True),
    Column("field", String(64), primary_key=True, comment="age, gender, education, …"),
    Column("value", Text, nullable=False),
)

answers = Table(
    "answers",
    metadata,
    Column("id", _SERIAL, primary_key=True, autoincrement=True),
    Column("participant", String(16), ForeignKey("participants.id"), nullable=False),
    Column("about", Text, nullable=False, comment="the stimulus"),
    Column("occurrence", Integer, nullable=False, default=1, comment="2 for a repeated stimulus"),
    Column("scale", Text, nullable=False),
    Column("value", Float, nullable=True),
    Column("label", Text, nullable=True),
    Column("status", String(16), nullable=False, default="ok"),
    Column("reason", Text, nullable=False, default=""),
    Column("comment", Text, nullable=False, default=""),
    Column("language", String(2), nullable=False),
    Column("role", String(16), nullable=False),
    Column("trial", Integer, nullable=False, comment="place in the participant's order, from 1"),
    Column("screen", Integer, nullable=False, default=0),
    Column("place", Integer, nullable=False, default=0, comment="place of the scale on its screen"),
    Column("highlighted", Boolean, nullable=False),
    Column("answered", Float, nullable=False),
    Column("seconds", Float, nullable=True, comment="on the page, by the browser's clock, else the server's"),
    Column("timing", Text, nullable=False, default="", comment="JSON: frames, visibility, key presses"),
    Column("submission", String(64), nullable=False, comment="the browser's id of the submit"),
    # One answer a participant, presentation and scale, whatever is sent how often.
    UniqueConstraint("participant", "about", "occurrence", "scale"),
)

events = Table(
    "events",
    metadata,
    Column("id", _SERIAL, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    Column("participant", String(16), nullable=True, index=True),
    Column("kind", String(32), nullable=False),
    Column("detail", Text, nullable=False, default="", comment="JSON without answers or free text"),
)

administrators = Table(
    "administrators",
    metadata,
    Column("token", String(64), primary_key=True, comment="digest of a one-time link or of a session cookie"),
    Column("kind", String(16), nullable=False, comment="link or session"),
    Column("created", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("used", Float, nullable=True),
)
