import type { Arena } from './arena.ts';

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** What the node itself says of a run that failed: its networks, and each swap that the failure names. */
export async function postMortem({ node, oracle, stage }: Arena, cause: unknown): Promise<string> {
  const text = cause instanceof Error ? cause.message : String(cause);
  const ids = [...new Set(text.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g))].slice(0, 3);
  const paths = ['/owner/status', ...ids.flatMap((id) => [`/owner/swaps/${id}`, `/owner/logs?limit=60&swap=${id}`])];
  const answers: string[] = [];
  for (const path of paths) {
    const answer = await node.askOnce(path, undefined, true);
    answers.push(`${path}: ${JSON.stringify(answer?.body ?? 'no answer')}`);
  }
  for (const { record } of stage.scenarios.filter(({ record: { id } }) => ids.includes(id))) {
    const coins = await oracle.bitcoin.legOf(record).catch(String);
    answers.push(`coins of ${record.id} on the Bitcoin chain: ${JSON.stringify(coins, plain)}`);
  }
  const log = node.log();
  const lines = log.split('\n');
  const failures = lines.filter((line) => /"level":[56]0/.test(line));
  return [
    ...answers,
    ...ids.map(
      (id) =>
        `${id}:\n${lines
          .filter((line) => line.includes(id))
          .slice(-40)
          .join('\n')}`,
    ),
    `its last failures:\n${failures.slice(-20).join('\n')}`,
    `what it tries again:\n${lines
      .filter((line) => line.includes('tried again'))
      .slice(-60)
      .join('\n')}`,
    `log of the node:\n${log.slice(-6_000)}`,
  ].join('\n');
}
