"""Mails: one template for all, texts of the operator, digests with one-click unsubscribe."""

from pathlib import Path

import pytest

from tests.support.clock import PinnedClock
from tests.support.mail import mail_server
from tests.support.squares import Place, assert_clean, browse, open_square
from townsquare.services.accounts.mails import Mails
from townsquare.services.accounts.models import Facts, NotificationSettings, UserProfile
from townsquare.settings import Settings, SettingsError

SQUARE = "https://square.example.org"


def test_an_operator_replaces_single_texts(tmp_path: Path) -> None:
    (tmp_path / "texts.toml").write_text('[sign_in]\nsubject = "$brand: $code"\n', encoding="utf-8")
    settings = Settings(mail_texts=str(tmp_path), mail_from="Plaza <hi@example.org>", public_url=SQUARE)
    mail = Mails(settings).message("sign_in", "ann@example.org", code="123456", minutes="10")
    assert mail.subject == "Plaza: 123456"
    assert f"Open the sign-in page: {SQUARE}/accounts/sign-in" in mail.text
    assert '<p class="code">123456</p>' in mail.html
    sms = Mails(settings).message("sign_in", "+4915112345678", code="123456", minutes="10")
    assert (sms.channel, sms.html) == ("sms", "")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("texts.toml", '[sign_in]\nsubject = "$whom"\n'),
        ("texts.toml", '[nothing]\nsubject = "x"\n'),
        ("texts.toml", "[sign_in]\nsubject = 1\n"),
        ("texts.toml", "not toml"),
        ("mail.html", "<p>$unknown</p>"),
    ],
)
def test_texts_with_mistakes_are_refused(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match="mail_texts"):
        Mails(Settings(mail_texts=str(tmp_path)))


async def test_a_digest_comes_once_a_day_until_it_is_unsubscribed(place: Place, clock: PinnedClock) -> None:
    async with (
        mail_server() as server,
        open_square(place, clock, delivery="smtp", smtp_url=server.url, public_url=SQUARE) as square,
        browse(square) as http,
    ):
        wanted: NotificationSettings = {"follow": "digest", "mention": "mail", "like": "app"}
        ann = await square.accounts.users.create(
            UserProfile(username="ann", email="ann@example.org", notifications=wanted),
            Facts(email_verified=True),
        )
        await square.accounts.sign_up("ben")
        centre = square.accounts.notifications

        async def mails(**later: int) -> list[str]:
            clock.move(**later)
            await centre.mail()
            await square.accounts.delivered()
            came, server.box.mails = server.box.mails, []
            return [f"{mail['Subject']}" for mail in came]

        assert await mails(minutes=1) == []
        clock.move(seconds=1)
        await square.social.follows.follow("ben", "ann")
        post = await square.social.posts.create("ann", "hello")
        await square.social.posts.like(post.id, "ben")
        await square.social.posts.create("ben", "hello @ann")
        assert await mails(minutes=6) == ["1 notification on Townsquare"]
        assert await mails(minutes=6) == []
        clock.move(hours=24)
        await centre.mail()
        await square.accounts.delivered()
        (digest,) = server.box.mails
        server.box.mails = []
        assert digest["Subject"] == "Your day on Townsquare: 1 notification"
        assert "ben followed you" in str(digest.get_body(("plain",)))
        assert digest["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        link = str(digest["List-Unsubscribe"]).strip("<>").removeprefix(SQUARE)
        assert "<button>Unsubscribe</button>" in (await http.get(link)).text
        done = await http.post(link, data={"List-Unsubscribe": "One-Click"})
        assert done.status_code == 200
        assert (await square.accounts.users.get(ann.id)).notifications["follow"] == "app"
        assert (await http.get("/accounts/mail/unsubscribe?token=x")).status_code == 404
        await assert_clean(square.store)
