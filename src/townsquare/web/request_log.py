"""What is told of every request: a measurement, and a line in the access log."""

from townsquare.cache.counts import ByNamespace
from townsquare.web.logs import AccessLog
from townsquare.web.metrics import Metrics

SERVER_ERROR = 500  # such answers are logged also where others are not


class RequestLog:
    def __init__(self, metrics: Metrics, access: AccessLog) -> None:
        self._metrics = metrics
        self._access = access

    def record(
        self,
        method: str,
        route: str,
        status: int,
        seconds: float,
        ip: str,
        request_id: str,
        user: str,
        cache: ByNamespace,
    ) -> None:
        self._metrics.add_request(method, route, status, seconds)
        if self._access.enabled or status >= SERVER_ERROR:
            self._access.write(method, route, status, seconds, ip, request_id, user, cache)
