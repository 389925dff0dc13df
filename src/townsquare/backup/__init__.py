"""Backup, restore, moving data between stores, and upgrades of stored data. Imported when it is used."""
