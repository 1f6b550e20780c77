// A file under construction: beside the one that it becomes, under a name that nobody can foresee, private until it is
// whole. Then it is on the disk, has the mode of the file that it replaces, and takes its name in one step.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace millrace {

/// <target>.part-HOST-PID-RANDOM, open for writing.
struct PartFile {
  int file = -1;  // its descriptor; -1: errno says why there is none
  std::string name{};
};

/// Never follows a link and never takes a file that is there. Removes what processes of this user on this machine that
/// are gone have left beside the target. `named` is told the name before there is such a file.
PartFile make_part_file(const std::filesystem::path& target, const std::function<void(const std::string&)>& named = {});

/// Goes on after signals and short counts. False: errno says why.
bool write_all(int file, std::string_view bytes);

/// Writes everything to the disk, closes, gives the mode (0: that of the target, of a new one what the umask allows)
/// and the name of the target. False: errno says why, the part file is still there, closed, and so is the old target.
bool finish_part_file(PartFile& part, const std::filesystem::path& target, unsigned mode = 0);

/// May the target be replaced: is it missing, or writable by this process and by its mode? False: errno says why.
bool may_be_replaced(const std::filesystem::path& target);

}  // namespace millrace
