"""Pages in the shell: comments for one's site, and the moderators' desk."""

from townsquare.api import AnyEndpoint, Call, HtmlPage, Nothing
from townsquare.routes import Routes
from townsquare.services.threads.pages import templates


def shell_pages() -> list[AnyEndpoint]:
    routes = Routes("/threads", tag="threads")

    @routes.page("")
    async def make_site(call: Call, given: Nothing) -> HtmlPage:
        return page("Comments for your site", "make")

    @routes.page("/moderation")
    async def moderation_page(call: Call, given: Nothing) -> HtmlPage:
        return page("Moderation", "moderation", listed=False)

    return routes.endpoints


def page(title: str, name: str, *, listed: bool = True) -> HtmlPage:
    return HtmlPage(
        title=title,
        body=templates.fill(f"{name}.html"),
        styles=("/threads/assets/threads.css",),
        scripts=(f"/threads/assets/{name}.js",),
        images_from_anywhere=True,  # avatars, and what people show in their comments
        listed=listed,
    )
