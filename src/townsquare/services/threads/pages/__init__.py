"""Pages for people: comments without JavaScript, the moderators' desk, and how to put comments on a site."""

from pathlib import Path

from townsquare.kit.templates import Templates

FOLDER = Path(__file__).parent
templates = Templates(FOLDER)
