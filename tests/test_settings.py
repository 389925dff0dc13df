import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from townsquare.settings import Settings, SettingsError
from townsquare.square import check_settings


@pytest.fixture(autouse=True)
def _an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def load(environ: dict[str, str] | None = None, **overrides: Any) -> Settings:
    return Settings.load(environ=environ or {}, **overrides)


def test_defaults_need_nothing() -> None:
    settings = load()
    assert settings == Settings()
    assert (settings.env, settings.data_url, settings.cache_memory) == ("prod", "", "450mb")


def test_given_values_win_over_variables_over_the_file() -> None:
    Path("townsquare.toml").write_text('port = 1\nworkers = 1\nhost = "file"\n')
    settings = load({"TOWNSQUARE_PORT": "2", "TOWNSQUARE_WORKERS": "2"}, port=3)
    assert (settings.port, settings.workers, settings.host) == (3, 2, "file")


def test_an_override_of_none_is_no_override() -> None:
    assert load({"TOWNSQUARE_PORT": "2"}, port=None).port == 2


def test_the_file_may_be_named(tmp_path: Path) -> None:
    named = tmp_path / "other.toml"
    named.write_text('env = "staging"\n')
    assert load({"TOWNSQUARE_CONFIG": str(named)}).env == "staging"
    assert Settings.load(named, {}).env == "staging"


def test_every_kind_of_value_in_the_file() -> None:
    Path("townsquare.toml").write_text(
        'command_timeout = 3\ntrusted_proxies = ["10.0.0.0/8", "::1"]\n[rate_limit]\ncreate = "5/60"\n'
    )
    settings = load()
    assert settings.command_timeout == 3.0
    assert settings.trusted_proxies == ("10.0.0.0/8", "::1")
    assert settings.rate_limit == {"create": "5/60"}


def test_every_kind_of_value_in_variables() -> None:
    settings = load(
        {
            "TOWNSQUARE_COMMAND_TIMEOUT": "0.5",
            "TOWNSQUARE_DISABLED_SERVICES": "widgets, search",
            "TOWNSQUARE_CORS_ORIGINS": "",
            "TOWNSQUARE_RATE_LIMITS": "off",
            "TOWNSQUARE_RATE_LIMIT_CREATE": "5/60",
            "TOWNSQUARE_RATE_LIMIT_SIGN_IN": "off",
        }
    )
    assert settings.command_timeout == 0.5
    assert settings.disabled_services == ("widgets", "search")
    assert settings.cors_origins == ()
    assert settings.rate_limits == "off"
    assert settings.rate_limit == {"create": "5/60", "sign_in": "off"}


def test_single_limits_of_variables_join_those_of_the_file() -> None:
    Path("townsquare.toml").write_text('[rate_limit]\nread = "1/1"\nwrite = "2/2"\n')
    settings = load({"TOWNSQUARE_RATE_LIMIT_WRITE": "3/3"})
    assert settings.rate_limit == {"read": "1/1", "write": "3/3"}


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("TOWNSQUARE_PORT", "http", "int"),
        ("TOWNSQUARE_PORT", "70000", "65535"),
        ("TOWNSQUARE_WORKERS", "0", "1"),
        ("TOWNSQUARE_ENV", "Prod:1", "for example prod"),
        ("TOWNSQUARE_ENV", "prod\n", "a line break"),
        ("TOWNSQUARE_PUBLIC_URL", "https://example.org\n", "a line break"),
        ("TOWNSQUARE_DURABILITY", "never", "everysec, always"),
        ("TOWNSQUARE_CACHE_MEMORY", "lots", "for example 450mb"),
        ("TOWNSQUARE_COMMAND_TIMEOUT", "0", "> 0"),
        ("TOWNSQUARE_TRUSTED_PROXIES", "10.0.0.1/8", "for example 10.0.0.0/8"),
        ("TOWNSQUARE_CORS_ORIGINS", "example.org", "for example https://example.org"),
        ("TOWNSQUARE_RATE_LIMIT_READ", "many", "for example 240/60"),
        ("TOWNSQUARE_DATA_URL", "http://h", "redis://"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_expected(variable: str, value: str, expected: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load({variable: value})
    assert variable in str(caught.value)
    assert expected in str(caught.value)


def test_a_wrong_value_in_the_file_names_the_file() -> None:
    Path("townsquare.toml").write_text('port = "8000x"\n')
    with pytest.raises(SettingsError, match=r"port in townsquare.toml cannot be '8000x'"):
        load()


@pytest.mark.parametrize("content", ["prot = 1\n", "[server]\nport = 1\n"])
def test_an_unknown_name_in_the_file_is_refused(content: str) -> None:
    Path("townsquare.toml").write_text(content)
    with pytest.raises(SettingsError, match=r"townsquare.toml: there is no such setting"):
        load()


def test_a_near_miss_is_suggested() -> None:
    with pytest.raises(SettingsError, match="did you mean port"):
        load(prot=1)


@pytest.mark.parametrize(
    ("variable", "meant"),
    [("TOWNSQUARE_PRT", "TOWNSQUARE_PORT"), ("TOWNSQUARE_CONFG", "TOWNSQUARE_CONFIG")],
)
def test_a_misspelt_variable_is_refused(variable: str, meant: str) -> None:
    with pytest.raises(SettingsError, match=rf"{variable}: there is no such setting; did you mean {meant}\?"):
        load({variable: "1", "PATH": "/bin"})


@pytest.mark.parametrize("name", ["secret", "admin_token", "delivery_webhook_secret"])
def test_a_secret_of_our_own_is_long(name: str) -> None:
    with pytest.raises(SettingsError, match=rf"{name} cannot be \*\*\*: a secret has 16 characters or more"):
        Settings.load(None, {}, **{name: "x"})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"disabled_services": "widget"}, "there is no widget; did you mean widgets?"),
        (
            {"disabled_services": "q"},
            "there is no q; there are accounts, analytics, images, search, social, threads, widgets",
        ),
        ({"rate_limit": {"reed": "1/1"}}, "there is no reed; did you mean read?"),
        ({"github_client_id": "x"}, "github_client_id and github_client_secret go together"),
        ({"github_client_secret": "x"}, "github_client_id and github_client_secret go together"),
        ({"outside_issuer": "https://example.org"}, "outside_issuer and outside_key go together"),
        ({"outside_issuer": "x", "outside_key": '{"kty": "x"}'}, "outside_key"),
        ({"outside_issuer": "x", "outside_key": "short"}, "outside_key"),
        ({"outside_issuer": "townsquare", "outside_key": "k" * 32}, "outside_issuer and jwt_issuer must"),
        ({"delivery": "smtp"}, "delivery is smtp"),
        *(
            ({"delivery": "smtp", "smtp_url": "smtp://mail", "mail_from": sender}, "mail_from is one address")
            for sender in ("", "nobody", "a@", "a,b <x>", "a@b.org, c@d.org", "A <a@b.org>\nBcc: c@d.org")
        ),
        ({"delivery": "webhook", "delivery_webhook": "https://example.org"}, "delivery is webhook"),
    ],
)
def test_settings_that_services_cannot_use_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        check_settings(load(**given))
    assert said in str(caught.value)


@pytest.mark.slow
def test_every_declared_limit_can_be_set() -> None:
    """In a new process: other tests have imported the endpoints."""
    code = (
        "from townsquare.settings import Settings; from townsquare.square import check_settings; "
        "check_settings(Settings.load(None, {}, rate_limit={'post': '1/1', 'vote': '1/1', 'sign_in': '1/1'}))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_port_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="smtp_url"):
        load(smtp_url="smtp://example.org:mail")


def test_each_value_is_told_with_its_source() -> None:
    Path("townsquare.toml").write_text('port = 1\nhost = "file"\n[rate_limit]\nread = "1/1"\n')
    environ = {"TOWNSQUARE_PORT": "2", "TOWNSQUARE_RATE_LIMIT_WRITE": "3/3"}
    settings, sources = Settings.load_with_sources(environ=environ, env="test")
    assert sources == {
        "port": "TOWNSQUARE_PORT",
        "host": "townsquare.toml",
        "rate_limit": "townsquare.toml, TOWNSQUARE_RATE_LIMIT_WRITE",
        "env": "given",
    }
    assert settings.shown()["rate_limit"] == "read=1/1,write=3/3"


def test_a_broken_or_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"gone.toml does not exist"):
        Settings.load(tmp_path / "gone.toml", {})
    Path("townsquare.toml").write_text("port =\n")
    with pytest.raises(SettingsError, match=r"townsquare.toml cannot be read"):
        load()


def test_secrets_are_never_shown(capsys: pytest.CaptureFixture[str]) -> None:
    settings = load(
        admin_token="hunter2, but longer",
        secret="hunter2, but longer",
        data_url="redis://user:hunter2@h:1/0",
        cache_url="redis+sentinel://u:hunter2@h/s?sentinel_password=hunter2",
    )
    Console().print(settings)
    shown = repr(settings) + str(settings) + f"{settings!r}" + capsys.readouterr().out
    assert "hunter2" not in shown
    assert "redis://***@h:1/0" in shown


@pytest.mark.parametrize("url", ["redis://user:hunter2", "redis://user:hunter2@h:x", "hunter2"])
def test_a_broken_url_does_not_tell_its_password(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load({"TOWNSQUARE_DATA_URL": url})
    assert "hunter2" not in str(caught.value)


def test_every_setting_is_described() -> None:
    rows = {row.name: row for row in Settings.describe()}
    assert set(rows) == set(Settings.__struct_fields__)
    assert rows["port"].variable == "TOWNSQUARE_PORT"
    assert rows["port"].default == "8000"
    assert rows["rate_limit"].variable == "TOWNSQUARE_RATE_LIMIT_<NAME>"
    assert all(row.doc for row in rows.values())
