/** A provider by its host, and its path where it has one: what people tell apart. */
export function hostOf(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/+$/, '');
}
