// Text as XML takes it. Inside the library.
#pragma once

#include <string>
#include <string_view>

namespace millrace {

/// The text for an attribute in double quotes. What XML cannot hold, bytes that are no UTF-8 and control characters, is
/// an Error that begins with `what`.
std::string xml_text(std::string_view text, std::string_view what);

}  // namespace millrace
