import type { Doctor } from '../../contract/operator.ts';
import type { ServiceContext } from '../context.ts';
import { names } from '../networks.ts';

type Row = Doctor['rows'][number];

/** What is known of every connection, one sentence each, with what to do. */
export function doctor(context: ServiceContext): Doctor {
  const { networks, config, policy } = context;
  const rows: Row[] = [];
  const arkade = networks.arkade();
  const lightning = networks.lightning();
  const bitcoin = networks.bitcoin();
  for (const [network, seen] of Object.entries({ arkade, lightning, bitcoin })) rows.push(connection(network as keyof typeof names, seen));
  if (arkade.state === 'connected') {
    const { exitDelay, dust } = arkade.facts.info;
    const trustless = policy.serverLeg >= 2 * exitDelay + policy.margin;
    rows.push({
      network: 'arkade',
      check: 'exit delay',
      result: trustless ? 'pass' : 'warn',
      sentence: trustless
        ? `The operator's exit delay of ${exitDelay} s leaves time to claim without it.`
        : `The operator's exit delay of ${exitDelay} s is long beside our leg of ${policy.serverLeg} s: claims rely on the operator, so keep little with it.`,
    });
    rows.push(
      arkade.facts.balance.available > BigInt(config.terms.minSats)
        ? { network: 'arkade', check: 'liquidity', result: 'pass', sentence: `${arkade.facts.balance.available} sats are available.` }
        : { network: 'arkade', check: 'liquidity', result: 'warn', sentence: `Only ${arkade.facts.balance.available} sats are available: deposit to the Arkade wallet to offer swaps to Arkade.` },
    );
    if (dust > BigInt(config.terms.minSats)) rows.push({ network: 'arkade', check: 'dust', result: 'warn', sentence: `The operator takes no coin below ${dust} sats, terms.minSats is ${config.terms.minSats}: raise it.` });
  }
  if (lightning.state === 'connected') {
    const { info, liquidity } = lightning.facts;
    rows.push(
      info.synced
        ? { network: 'lightning', check: 'sync', result: 'pass', sentence: `The node follows the chain at height ${info.height}.` }
        : { network: 'lightning', check: 'sync', result: 'fail', sentence: 'The node does not follow the chain: wait until it does, or look at its Bitcoin backend.' },
    );
    rows.push({
      network: 'lightning',
      check: 'liquidity',
      result: liquidity.outbound > 0n && liquidity.inbound > 0n ? 'pass' : 'warn',
      sentence: `${liquidity.outbound} sats can be sent and ${liquidity.inbound} received: both directions need channels with room on their side.`,
    });
  }
  if (lightning.state === 'connected' && bitcoin.state === 'connected') {
    const gap = Math.abs(lightning.facts.info.height - bitcoin.facts.height);
    rows.push({
      network: 'bitcoin',
      check: 'one chain',
      result: gap <= 2 ? 'pass' : 'fail',
      sentence: gap <= 2 ? 'The Lightning node and the Bitcoin endpoint are at the same height.' : `The Lightning node is at height ${lightning.facts.info.height}, the Bitcoin endpoint at ${bitcoin.facts.height}: one of them is behind or on another chain.`,
    });
  }
  return { rows };
}

function connection(network: keyof typeof names, seen: { state: string; detail?: string }): Row {
  if (seen.state === 'connected') return { network, check: 'connection', result: 'pass', sentence: `${names[network]} answers.`.replace(/^a/, 'A') };
  if (seen.state === 'absent') return { network, check: 'connection', result: 'warn', sentence: `${names[network]} is not configured: directions that need it are not offered.`.replace(/^a/, 'A') };
  return { network, check: 'connection', result: 'fail', sentence: `${names[network]} does not answer (${seen.detail ?? 'no detail'}): check its address and that it runs.`.replace(/^a/, 'A') };
}
