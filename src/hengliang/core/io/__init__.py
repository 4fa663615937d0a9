"""Reading of what users bring: tables of any form, encoding and quoting."""
