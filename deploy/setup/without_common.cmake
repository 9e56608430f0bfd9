# Included by CMake right after llama.cpp's project(): overrides LLAMA_BUILD_COMMON=ON that the Python package's build sets.
set(LLAMA_BUILD_COMMON OFF CACHE BOOL "" FORCE)
