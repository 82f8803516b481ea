/**
 * Node's own words about what a library does are no output of ours: every line of a log is JSON, every line of the
 * doctor a row.
 */
export function hideDeprecations(): void {
  if (!process.noDeprecation) process.noDeprecation = true; // read-only where a flag has said so already
}
