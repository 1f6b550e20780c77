# Writes source_id.hpp: the commit, a hash of the sources and how they are compiled. Run at every build; the file
# changes only when its content does. Without git, or where git does not know it, the commit is that of .stage/.
cmake_minimum_required(VERSION 3.25)
file(GLOB_RECURSE files RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/src/*.[ch]* ${SOURCE_DIR}/apps/*.[ch]*)
list(SORT files)
set(all "")
foreach(file IN LISTS files)
  file(SHA256 ${SOURCE_DIR}/${file} hash)
  string(APPEND all "${file} ${hash}\n")
endforeach()
string(SHA256 source_hash "${all}")

set(commit "")
set(dirty false)
find_program(git git)
if(git AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(COMMAND ${git} -C ${SOURCE_DIR} rev-parse HEAD OUTPUT_VARIABLE head RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(commit ${head})
    execute_process(COMMAND ${git} -C ${SOURCE_DIR} --no-optional-locks status --porcelain -- src apps
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      set(dirty true)
    endif()
  endif()
endif()
if(EXISTS ${SOURCE_DIR}/.stage/commit)  # a copied tree: scripts/stage_offline.sh wrote this
  file(STRINGS ${SOURCE_DIR}/.stage/commit staged)
  list(GET staged 0 staged_commit)
  set(unknown true)
  if(commit)  # the copy may stand on an older commit, and then says nothing of what was copied over it
    execute_process(COMMAND ${git} -C ${SOURCE_DIR} cat-file -e ${staged_commit} RESULT_VARIABLE unknown ERROR_QUIET)
  endif()
  if(unknown)
    set(commit ${staged_commit})
    list(GET staged 1 dirty)
  endif()
endif()

string(STRIP "${FLAGS}" FLAGS)
set(content "// Written by the build: which source this is, and how it is compiled.
#pragma once

namespace millrace::bench::source_id {

inline constexpr char commit[] = \"${commit}\";
inline constexpr bool dirty = ${dirty};
inline constexpr char source_hash[] = \"${source_hash}\";
inline constexpr char type[] = \"${TYPE}\";
inline constexpr char flags[] = \"${FLAGS}\";
inline constexpr char compiler[] = \"${COMPILER}\";

}  // namespace millrace::bench::source_id
")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL content)
  file(WRITE ${OUTPUT} "${content}")
endif()
