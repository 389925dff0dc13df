"""Every key that Townsquare has."""

from townsquare.keyspace import Registry
from townsquare.services.widgets.keys import widgets
from townsquare.store.keys import system

REGISTRY = Registry([system, widgets])
