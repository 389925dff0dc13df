"""Every key that Townsquare has, of services that are off as well."""

from townsquare.keyspace import Registry
from townsquare.services.accounts.keys import accounts
from townsquare.services.analytics.keys import analytics
from townsquare.services.social.keys import social
from townsquare.services.widgets.keys import widgets
from townsquare.store.keys import system

REGISTRY = Registry([system, accounts, analytics, social, widgets])
