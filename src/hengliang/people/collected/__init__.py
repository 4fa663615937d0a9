"""What people said: out of the database, checked, described and handed on."""
