import { setTimeout as pause } from 'node:timers/promises';
import type { Accounts } from '../../engine/contract/owner/accounts.ts';
import { ask } from './http.ts';
import type { DemoNode } from './node.ts';

/** The node compares every two seconds, and what it booked a moment ago is compared at the next look. */
const patienceMs = 20_000;
const lookMs = 500;

/** Whether the books of the node come to say what its networks say, and a line about it. */
export async function judgeBooks(node: DemoNode): Promise<{ readonly good: boolean; readonly line: string }> {
  for (const begun = performance.now(); ; await pause(lookMs)) {
    const { accounts, wallets } = (await ask(node, 'GET', '/owner/accounts')) as unknown as Accounts;
    // Chains that nobody swaps on are not started, and nothing of them is booked.
    const booked = wallets.filter((of) =>
      accounts.some((one) => one.network === of.network && one.asset === of.asset && one.account === of.account),
    );
    const apart = booked.filter(({ difference }) => difference !== '0');
    if (apart.length === 0) return { good: true, line: 'The books of the node say what its networks say.' };
    if (performance.now() - begun < patienceMs) continue;
    const each = apart.map(({ network, asset, account, difference }) =>
      difference === null
        ? `${network} ${asset} ${account} was never compared`
        : `${network} ${asset} ${account} by ${difference}`,
    );
    return { good: false, line: `The books of the node and its networks differ: ${each.join(', ')}.` };
  }
}
