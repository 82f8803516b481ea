/** Node-API 10 came with Node 22.14. Below it the database is a crash without a word. */
const leastApi = 10;

/** Why this Node cannot run the program; null where it can. */
export function oldNode({ node, napi }: { readonly node: string; readonly napi?: string }): string | null {
  if (Number(napi ?? 0) >= leastApi) return null;
  return `This is Node ${node}, and Sluice needs 22.14 or newer: the Node of the lockfile is 24.`;
}
