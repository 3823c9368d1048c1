"""The REST server: routes, problems, limits, health and metrics, put together.

Keys decide who may do what (``server.access``). Without keys it serves this machine alone, as if with an admin's key.
"""

from __future__ import annotations

from typing import Any

from anyio import CapacityLimiter
from fastapi import FastAPI, Response
from fastapi.middleware.trustedhost import TrustedHostMiddleware
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from onrecord.errors import StoreError
from onrecord.memory import Memory
from onrecord.server.callers import Reader
from onrecord.server.host import workers
from onrecord.server.limits import Limited, Limits
from onrecord.server.meter import Metered, Meters, lifespan
from onrecord.server.problems import Problems, add_handlers, problem, responses
from onrecord.server.routes import ROUTERS
from onrecord.wire import answers
from onrecord.wire.version import package_version

#: What asks for a key.
_KEYED = ("/v1", "/metrics")
_ABOUT = "Long-term memory for LLM agents, kept as records you can read."


def rest_app(memory: Memory, *, local: bool, limits: Limits | None = None) -> FastAPI:
    """The app over ``memory``, which it does not close. A ``local`` one asks nobody for a key as long as none was made."""
    meters = Meters()
    app = FastAPI(
        title="onrecord",
        version=package_version(),
        description=_ABOUT,
        redoc_url=None,
        lifespan=lifespan(meters, workers(memory.engine.policy.call_threads)),
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.memory, app.state.local = memory, local
    app.state.methods = _methods
    # Who calls is looked up on threads of its own: who may not come in waits for nobody's search.
    app.state.doors = CapacityLimiter(2)
    for router in ROUTERS:
        app.include_router(router)
    add_handlers(app)
    _add_health(app, memory)
    _add_metrics(app, meters)
    app.add_middleware(Limited, limits=limits or Limits())
    if local:  # a page that a browser on this machine shows must not reach it under another name
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=["localhost", "127.0.0.1", "[::1]"])
    app.add_middleware(Metered, meters=meters, new_id=memory.engine.ids)
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]
    return app


def _methods(path: str) -> list[str]:
    """What may be asked of a path."""
    routes = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
    named = [route for route in routes if route.path == path] or [route for route in routes if route.path_regex.match(path)]
    return sorted({verb for route in named for verb in route.methods or ()} or {"GET"})


def _add_health(app: FastAPI, memory: Memory) -> None:
    @app.get("/health", tags=["health"], summary="Whether the server runs")
    async def health() -> answers.State:
        """It answers, so it does."""
        return answers.State()

    @app.get("/ready", tags=["health"], summary="Whether the store answers", responses=responses(503))
    def ready() -> Any:
        """A read of the store went well."""
        try:
            memory.engine.store.key("")
        except StoreError as error:
            return problem(503, str(error))
        return answers.State()


def _add_metrics(app: FastAPI, meters: Meters) -> None:
    @app.get(
        "/metrics",
        tags=["health"],
        summary="Counts and times, for Prometheus",
        response_class=Response,
        responses=responses(401, 403, 503),
    )
    def metrics(caller: Reader) -> Response:
        """In the text format of Prometheus, of the whole server and without a name or an id. Any key that may read will do."""
        return Response(generate_latest(meters.registry), media_type=CONTENT_TYPE_LATEST)


def _described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description, with the shape of problems and of keys in it."""
    if app.openapi_schema is None:
        found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        parts = found.setdefault("components", {})
        schema = Problems.model_json_schema(ref_template="#/components/schemas/{model}")
        parts.setdefault("schemas", {}).update(schema.pop("$defs", {}), Problems=schema)
        parts["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "bearerFormat": "onr_..."}}
        for path, verbs in found["paths"].items():
            if path.startswith(_KEYED):
                for verb in verbs.values():
                    verb["security"] = [{"key": []}]
        app.openapi_schema = found
    return app.openapi_schema
