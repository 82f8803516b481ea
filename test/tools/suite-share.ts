// What a suite that builds first has left for its tests.

/** Seconds that a build may take beside the share of a suite: .ci/run ends a suite some minutes after its share. */
const besideShare = 300;
const atLeast = 60;

/**
 * Seconds of the share of a suite that are left after a build of so many: one that took longer than what it has beside
 * the share takes the rest from the tests, which are cut short and told of, and not ended with their results. Undefined
 * without a share.
 */
export function shareAfter(share: string | undefined, buildSeconds: number): string | undefined {
  if (share === undefined || !(Number(share) > 0)) return share;
  const left = Number(share) - Math.max(0, Math.ceil(buildSeconds) - besideShare);
  return String(Math.min(Number(share), Math.max(atLeast, left)));
}
