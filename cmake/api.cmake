# The target api: the reference of the public headers as Markdown, from their comments.
if(Python3_Interpreter_FOUND)
  add_custom_target(api VERBATIM
    COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/scripts/api_reference.py ${PROJECT_BINARY_DIR}/api)
endif()
