import type { ChecklistStep } from '../../../engine/contract/owner/checklist.ts';

const byPart: Readonly<Record<Exclude<ChecklistStep['part'], 'network' | 'liquidity'>, string>> = {
  seed: 'operate/backup.html',
  bundle: 'operate/backup.html',
  machine: 'provide/checklist.html',
  contracts: 'provide/evm.html',
  prices: 'provide/prices.html',
  alerts: 'operate/alerts.html#ways',
  rehearsal: 'provide/checklist.html',
  wallets: 'wallets/boltz.html',
  live: 'provide/expose.html',
};
const byNetwork: Readonly<Record<string, string>> = {
  arkade: 'provide/arkade.html',
  bitcoin: 'provide/bitcoin.html',
  lightning: 'provide/lnd.html',
};

/** The document that says how a step is done. */
export function guideTo({ part, network }: ChecklistStep): string {
  const document =
    part === 'network' || part === 'liquidity' ? (byNetwork[network ?? ''] ?? 'provide/evm.html') : byPart[part];
  return `docs/${document}`;
}
