"""The part of JSON Schema (draft 2020-12) that this project uses; an unknown keyword is an error."""

import re

ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description"}
TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: not isinstance(value, bool)
    and (isinstance(value, int) or (isinstance(value, float) and value.is_integer())),
}


def is_number(value):
    return TYPES["number"](value)


def check_object(schema, value, root, place):
    properties = schema.get("properties", {})
    problems = [f"{place}: '{name}' is missing" for name in schema.get("required", []) if name not in value]
    for name, item in value.items():
        if name in properties:
            problems += validate(properties[name], item, root, f"{place}.{name}")
        elif schema.get("additionalProperties", True) is False:
            problems.append(f"{place}: '{name}' is not known; known are: {' '.join(properties)}")
        elif isinstance(schema.get("additionalProperties"), dict):
            problems += validate(schema["additionalProperties"], item, root, f"{place}.{name}")
    return problems


def check_array(schema, value, root, place):
    problems = []
    if len(value) < schema.get("minItems", 0):
        problems.append(f"{place}: {len(value)} items, at least {schema['minItems']} are needed")
    if "items" in schema:
        for number, item in enumerate(value):
            problems += validate(schema["items"], item, root, f"{place}[{number}]")
    return problems


def validate(schema, value, root=None, place="$"):
    """Problems of the value against the schema, each with its place; an empty list when it fits."""
    root = schema if root is None else root
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return validate(target, value, root, place)

    known = ANNOTATIONS | {"type", "const", "enum", "pattern", "minimum", "exclusiveMinimum", "required", "properties",
                           "additionalProperties", "items", "minItems"}
    unknown = set(schema) - known
    if unknown:
        raise ValueError(f"{place}: the schema uses {' '.join(sorted(unknown))}, which is not implemented")

    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(TYPES[name](value) for name in types):
            return [f"{place}: {value!r:.60} is not of type {' or '.join(types)}"]
    problems = []
    if "const" in schema and value != schema["const"]:
        problems.append(f"{place}: {value!r:.60} must be {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        problems.append(f"{place}: {value!r:.60} must be one of {schema['enum']}")
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        problems.append(f"{place}: {value!r:.60} does not match {schema['pattern']}")
    if is_number(value) and value < schema.get("minimum", value):
        problems.append(f"{place}: {value} is below {schema['minimum']}")
    if is_number(value) and "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
        problems.append(f"{place}: {value} must be above {schema['exclusiveMinimum']}")
    if isinstance(value, dict):
        problems += check_object(schema, value, root, place)
    if isinstance(value, list):
        problems += check_array(schema, value, root, place)
    return problems
