"""What did the first tables of a survey look like?

This is how they were, not how they are: a later change of `tables.py` is a revision of its own.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_EVENTS_ARE_KEPT = "events are appended, never changed"


def upgrade() -> None:
    """Create all tables, and the triggers that keep events as they are."""
    _administration()
    _invitations()
    _participants()
    _of_participants()
    _answers()
    _events()
    if op.get_bind().dialect.name == "postgresql":
        _postgres_triggers()
    else:
        _sqlite_triggers()


def _administration() -> None:
    op.create_table(
        "facts",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_facts"),
        comment="design (digest of what is served), secret (key of form tokens), state (open or closed), created",
    )
    op.create_table(
        "administrators",
        sa.Column("token", sa.String(64), nullable=False, comment="digest of a one-time link or of a session cookie"),
        sa.Column("kind", sa.String(16), nullable=False, comment="link or session"),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.Column("used", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("token", name="pk_administrators"),
    )


def _invitations() -> None:
    op.create_table(
        "invitations",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("token", sa.String(64), nullable=False, comment="digest"),
        sa.Column("kind", sa.String(16), nullable=False, comment="real, pilot, simulated or preview"),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=True, comment="how often it may be used; null: any number of times"),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("version", sa.Text(), nullable=True, comment="the list it leads to; null: the least filled"),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("revoked", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_invitations"),
        sa.UniqueConstraint("token", name="uq_invitations_token"),
    )


def _participants() -> None:
    op.create_table(
        "participants",
        sa.Column("id", sa.String(16), nullable=False, comment="random; the pseudonym in every export"),
        sa.Column("kind", sa.String(16), nullable=False, comment="real, pilot, simulated or preview"),
        sa.Column("status", sa.String(16), nullable=False, comment="active, finished, withdrawn, excluded or expired"),
        sa.Column("invitation", sa.String(16), nullable=True),
        sa.Column("resume", sa.String(64), nullable=True, comment="digest of the link to go on elsewhere"),
        sa.Column("withdrawal", sa.String(64), nullable=True, comment="digest of the code that deletes"),
        sa.Column("completion", sa.String(64), nullable=True, comment="the code shown at the end"),
        sa.Column("external", sa.String(128), nullable=True, comment="a panel's id (Prolific), personal data"),
        sa.Column("language", sa.String(2), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column(
            "number",
            sa.Integer(),
            nullable=False,
            comment="ordinal within kind and list, from 0; orders follow from it",
        ),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column(
            "order", sa.Text(), nullable=False, comment="JSON: rows of the list, in the order in which they are shown"
        ),
        sa.Column("step", sa.Integer(), nullable=False, comment="the current page; the server's alone"),
        sa.Column("steps", sa.Integer(), nullable=False, comment="how many pages there are"),
        sa.Column("since", sa.Float(), nullable=False, comment="since when the current page is the current one"),
        sa.Column(
            "consent", sa.String(64), nullable=False, comment="version and digest of the text that was agreed to"
        ),
        sa.Column("consented", sa.Float(), nullable=False),
        sa.Column("seen", sa.Float(), nullable=False, comment="last sign of life"),
        sa.Column(
            "reserved", sa.Float(), nullable=True, comment="until when the place on the list is held; null: no longer"
        ),
        sa.Column("ended", sa.Float(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False, comment="why excluded"),
        sa.ForeignKeyConstraint(["invitation"], ["invitations.id"], name="fk_participants_invitation_invitations"),
        sa.PrimaryKeyConstraint("id", name="pk_participants"),
        sa.UniqueConstraint("kind", "external", name="uq_participants_kind_external"),
        sa.UniqueConstraint("resume", name="uq_participants_resume"),
        sa.UniqueConstraint("withdrawal", name="uq_participants_withdrawal"),
    )
    op.create_index("ix_participants_kind_version_status", "participants", ["kind", "version", "status"])


def _of_participants() -> None:
    op.create_table(
        "sessions",
        sa.Column("token", sa.String(64), nullable=False, comment="digest of the cookie; one a device"),
        sa.Column("participant", sa.String(16), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["participant"], ["participants.id"], name="fk_sessions_participant_participants"),
        sa.PrimaryKeyConstraint("token", name="pk_sessions"),
    )
    op.create_index("ix_sessions_participant", "sessions", ["participant"])
    op.create_table(
        "details",
        sa.Column("participant", sa.String(16), nullable=False),
        sa.Column("field", sa.String(64), nullable=False, comment="age, gender, education, …"),
        sa.Column("value", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["participant"], ["participants.id"], name="fk_details_participant_participants"),
        sa.PrimaryKeyConstraint("participant", "field", name="pk_details"),
    )


def _answers() -> None:
    op.create_table(
        "answers",
        _serial(),
        sa.Column("participant", sa.String(16), nullable=False),
        sa.Column("about", sa.Text(), nullable=False, comment="the stimulus"),
        sa.Column("occurrence", sa.Integer(), nullable=False, comment="2 for a repeated stimulus"),
        sa.Column("scale", sa.Text(), nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("label", sa.Text(), nullable=True),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("language", sa.String(2), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False, comment="place in the participant's order, from 1"),
        sa.Column("screen", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False, comment="place of the scale on its screen"),
        sa.Column("highlighted", sa.Boolean(), nullable=False),
        sa.Column("answered", sa.Float(), nullable=False),
        sa.Column(
            "seconds", sa.Float(), nullable=True, comment="on the page, by the browser's clock, else the server's"
        ),
        sa.Column("timing", sa.Text(), nullable=False, comment="JSON: frames, visibility, key presses"),
        sa.Column("submission", sa.String(64), nullable=False, comment="the browser's id of the submit"),
        sa.ForeignKeyConstraint(["participant"], ["participants.id"], name="fk_answers_participant_participants"),
        sa.PrimaryKeyConstraint("id", name="pk_answers"),
        sa.UniqueConstraint(
            *("participant", "about", "occurrence", "scale"), name="uq_answers_participant_about_occurrence_scale"
        ),
    )


def _events() -> None:
    op.create_table(
        "events",
        _serial(),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("participant", sa.String(16), nullable=True),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False, comment="JSON without answers or free text"),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    op.create_index("ix_events_participant", "events", ["participant"])


def _serial() -> sa.Column[int]:
    return sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False)


def _sqlite_triggers() -> None:
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER events_keep_{change.lower()} BEFORE {change} ON events"
            f" BEGIN SELECT RAISE(ABORT, '{_EVENTS_ARE_KEPT}'); END"
        )


def _postgres_triggers() -> None:
    op.execute(
        "CREATE FUNCTION events_keep() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN RAISE EXCEPTION '{_EVENTS_ARE_KEPT}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
    )
    op.execute(
        "CREATE TRIGGER events_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON events"
        " FOR EACH STATEMENT EXECUTE FUNCTION events_keep()"
    )
