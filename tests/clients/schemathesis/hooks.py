"""Two of schemathesis's own checks, made exact for this API."""

import jsonschema_rs
import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.specs.openapi.checks import negative_data_rejection

# The reasons for which a request is refused that isn't well formed. All others speak of the state of a game, of
# its rules, or of what the caller may do.
OF_FORM = {
    "BODY_TOO_LARGE",
    "FIELD_OUT_OF_RANGE",
    "MALFORMED_FIELD",
    "MALFORMED_REQUEST",
    "METHOD_NOT_ALLOWED",
    "MISSING_FIELD",
    "NO_SUCH_ROUTE",
    "UNKNOWN_PRESET",
    "UNSUPPORTED_MEDIA_TYPE",
}


@schemathesis.check
def what_is_valid_is_well_formed(ctx, response, case):
    """What the document allows is never refused for its form."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code < 400:
        return
    error = response.json()["error"]
    info = error["details"][0]
    field = info.get("metadata", {}).get("field", "")
    # Tokens of pages and cursors are opaque: only those are good that an answer gave.
    if field in ("page_token", "after"):
        return
    # Which characters of a name or a message are shown is told by Unicode's tables.
    if field in ("display_name", "name", "content.text") and info["reason"] == "MALFORMED_FIELD":
        return
    # Neither can a reason hide anything, nor a ban end in the past.
    if field in ("reason", "until") and info["reason"] == "MALFORMED_FIELD":
        return
    # A place in the lobby's stream is as opaque, and a title is shown like a name. Ranges of points have their order, and are
    # there with one way of admission alone.
    if field == "after_position" or field.endswith(("settings.title", "min_points", "max_points")):
        return
    # What JSON Schema can't say: the cards of all melds count together, a delay is that of spectators, and a result is
    # somebody's.
    if field.startswith("melds[") or field == "spectators.delay_seconds" or (case.operation.path, field) == ("/v1/replays", "player_id"):
        return
    assert info["reason"] not in OF_FORM, f"valid, but refused: {error['message']}"


@schemathesis.check
def what_is_invalid_is_refused(ctx, response, case):
    """What the document doesn't allow is refused, unless it is another way to write what it does."""
    try:
        negative_data_rejection(ctx, response, case)
    except AcceptedNegativeData:
        if not is_second_form(case):
            raise


def is_second_form(case):
    """Whether a body or query holds the numbers of enums' values for their names, or numbers as texts."""
    components = lenient(case.operation.schema.raw_schema["components"])
    schemas = {
        parameter["name"]: lenient(parameter["schema"])
        for parameter in case.operation.definition.raw["parameters"]
        if parameter["in"] == "query"
    }
    numbers = {name: int(value) for name, value in (case.query or {}).items() if str(value).isdecimal()}
    if any(
        jsonschema_rs.is_valid(schemas[name] | {"components": components}, value)
        for name, value in numbers.items()
        if name in schemas
    ):
        return True
    content = case.operation.definition.raw.get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        return False
    schema = lenient(content["application/json"]["schema"])
    return jsonschema_rs.is_valid(schema | {"components": components}, case.body)


def lenient(schema):
    """A schema that allows the second forms too."""
    if isinstance(schema, list):
        return [lenient(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: lenient(value) for key, value in schema.items()}
    if schema.get("type") == "string" and "enum" in schema:
        return {"anyOf": [schema, {"type": "integer"}]}
    kinds = schema.get("type")
    if kinds == "integer" or isinstance(kinds, list) and "integer" in kinds:
        return {"anyOf": [schema, {"type": "string", "pattern": "^[0-9]+([.]0+)?$"}]}
    return schema
