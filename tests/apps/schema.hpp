// Checks JSON against the part of JSON Schema that benchmarks/schema.json uses.
#pragma once

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

namespace millrace::test {

using Json = nlohmann::json;

inline bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  return type == "number" && value.is_number();
}

/// The first thing wrong with value, or nothing.
inline std::string violation(const Json& root, const Json& schema, const Json& value, const std::string& where = "") {
  if (schema.contains("$ref")) {
    const std::string target = schema["$ref"].get<std::string>().substr(1);
    return violation(root, root.at(Json::json_pointer(target)), value, where);
  }
  if (schema.contains("const") && value != schema["const"]) return where + ": not " + schema["const"].dump();
  if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    return where + ": " + value.dump() + " is none of " + schema["enum"].dump();
  if (schema.contains("type")) {
    const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
    bool right = false;
    for (const auto& type : types) right |= has_type(value, type.get<std::string>());
    if (!right) return where + ": " + value.dump() + " is not of type " + types.dump();
  }
  if (schema.contains("minimum") && value.get<double>() < schema["minimum"].get<double>()) return where + ": too small";
  if (schema.contains("exclusiveMinimum") && value.get<double>() <= schema["exclusiveMinimum"].get<double>())
    return where + ": too small";
  if (schema.contains("minItems") && value.size() < schema["minItems"].get<std::size_t>()) return where + ": too few";
  if (schema.contains("pattern") &&
      !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"].get<std::string>())))
    return where + ": " + value.dump() + " does not match";
  for (const auto& name : schema.value("required", Json::array()))
    if (!value.contains(name.get<std::string>())) return where + ": " + name.dump() + " is missing";
  if (value.is_object() && schema.contains("properties"))
    for (const auto& [name, member] : value.items()) {
      if (!schema["properties"].contains(name)) return where + ": '" + name + "' is unknown";
      if (auto text = violation(root, schema["properties"][name], member, where + "/" + name); !text.empty())
        return text;
    }
  if (value.is_array() && schema.contains("items"))
    for (const auto& member : value)
      if (auto text = violation(root, schema["items"], member, where + "[]"); !text.empty()) return text;
  return {};
}

}  // namespace millrace::test
