// Texts of files and names of files as terminals and JSON can take them.
#pragma once

#include <string>
#include <string_view>

namespace millrace {

/// The text as valid UTF-8: a byte that is no part of it becomes four characters, backslash x and two digits (\xff).
std::string valid_utf8(std::string_view text);

/// The same for a terminal: control characters, those of two bytes (U+0080 to U+009F) among them, become such
/// characters too, so that no text of a file moves the cursor or colours the screen. Line feeds and tabs stay.
std::string printable(std::string_view text);

/// How error texts show a piece of a file: 'abc', printable and not longer than 40 bytes of it.
std::string in_quotes(std::string_view piece);

}  // namespace millrace
