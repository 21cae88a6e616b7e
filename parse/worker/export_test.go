package worker

// Raced says that there is no limit of memory in this build.
const Raced = raced
