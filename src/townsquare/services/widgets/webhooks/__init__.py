"""Telling an owner's server what happens to a widget: signed, beside the request, outside our network."""

from townsquare.services.widgets.webhooks.deliveries import Delivery, Sender, Undeliverable, Webhooks
from townsquare.services.widgets.webhooks.sending import HttpSender, is_public

__all__ = ["Delivery", "HttpSender", "Sender", "Undeliverable", "Webhooks", "is_public"]
