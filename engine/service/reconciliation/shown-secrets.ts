import { chainIdOf, isEvm, type EvmNetwork } from '../../domain/chain.ts';
import { asPreimage, sameBytes, type Preimage } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../../domain/outpoint.ts';
import { day } from '../../domain/time.ts';
import { mostBlocksIn } from '../../legs/evm/block-rate.ts';
import type { SwapContracts } from '../../legs/evm/contracts.ts';
import { failedOnEvm } from '../../legs/evm/failures.ts';
import type { EvmPort } from '../../legs/evm/port.ts';
import type { ForgottenLocks } from './forgotten-locks.ts';
import { candidatesIn, readSeenTx } from '../../legs/seen-tx.ts';
import { firstWithLogs, hasLogs } from '../../runtime/networks/evm/logs-there.ts';
import { ifKnown } from '../../runtime/networks/if-known.ts';
import { bitcoinOf, evmOf } from '../../runtime/ports.ts';
import type { Runtime } from '../../runtime/runtime.ts';

/*
 * Secrets that claims of our locks showed, of swaps that a restored database does not know: on the Bitcoin chain, on
 * EVM chains, and by our own signature. On Arkade they are found by the coins of the wallet (`reconciliation.ts`).
 *
 * Loses money when wrong: a lock that its client claimed, and whose held payment goes back (facts/faults.md 156).
 */

/** The contracts of swaps on a chain. */
export type ContractsOf = (network: EvmNetwork) => SwapContracts | null;

/** Blocks of the Bitcoin chain: no leg lives longer than a week. */
const bitcoinBlocks = 1_152;
/** The same in seconds, of an EVM chain, whatever its rate (facts/faults.md 296). */
const evmSpan = 8 * day;
/** Blocks of an EVM chain that are looked at in any case, in one question, and once more for a reorganisation. */
const evmBlocks = { least: 200_000, atOnce: 5_000, again: 200 } as const;
/** For so long, milliseconds, one look reads a chain: what was read is made use of before the next one goes on. */
const lookMs = 10_000;
/** Logs that nobody kept may only not have been given for a while: they are asked for again after so long. */
const missingAgainMs = 60_000;

/** Blocks whose logs were not there: from the first that is to be read to the first whose logs are there. */
interface Missing {
  readonly from: number;
  readonly to: number;
  /** When they were asked for last. */
  readonly at: number;
}

interface Showing {
  readonly runtime: Runtime;
  readonly contracts: ContractsOf;
  /** Whether a payment was held for it, or a lock for us opens by it. */
  readonly settle: (secret: Preimage) => Promise<boolean>;
  /** Whose secret was used, or shows none and never will: by their outpoint, and by their key. */
  readonly over: Set<string>;
  /** Locks that somebody made for us. */
  readonly forUs: Pick<ForgottenLocks, 'heard'>;
  /** Locks of ours on EVM chains, by their key. */
  readonly locks: Set<string>;
  /** Up to where a chain was read: a hash of the Bitcoin chain, heights of EVM chains. */
  bitcoinAt: string | null;
  readonly readTo: Map<EvmNetwork, number>;
  readonly missing: Map<EvmNetwork, Missing>;
}

/** Settles by every secret that is shown; rejects with the first network that did not answer, once all were asked. */
export function createShownSecrets(
  of: Pick<Showing, 'runtime' | 'contracts' | 'settle' | 'forUs'>,
): () => Promise<void> {
  const own: Showing = {
    ...{ ...of, over: new Set(), locks: new Set() },
    ...{ bitcoinAt: null, readTo: new Map(), missing: new Map() },
  };
  const { ports } = of.runtime;

  return async () => {
    const chains = Object.keys(ports).filter(isEvm);
    const looks = [bySignature(own), onBitcoin(own), ...chains.map((network) => onEvm(own, network))];
    const failed = (await Promise.allSettled(looks)).find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
}

/** What came with a claim that we signed with its client: no chain ever shows it. */
async function bySignature({ runtime, settle }: Showing): Promise<void> {
  for (const { preimage, purpose, own } of runtime.store.partials.all())
    if (preimage !== null && purpose === 'claim' && !own) await settle(preimage);
}

/** Once for each block: what is paid to an HTLC of ours shows by the coins that its payment left the wallet. */
async function onBitcoin(own: Showing): Promise<void> {
  const { ports } = own.runtime;
  const wallet = ports.bitcoinWallet;
  if (ports.bitcoin === null || wallet === undefined) return;
  const bitcoin = bitcoinOf(ports);
  const { hash, height } = await bitcoin.tip();
  if (own.bitcoinAt === hash) return;
  let isWhole = true;
  for (const paid of await wallet.paidOut(Math.max(0, height - bitcoinBlocks))) {
    const key = outpointKey(paid);
    const spend = own.over.has(key) ? null : await bitcoin.spend(paid);
    if (spend === null) continue;
    // Any source may leave the witness out, and with it the secret.
    const shown = await bitcoin.transaction(spend.txid, (bytes) => secretsAt(bytes, paid).length > 0);
    isWhole &&= shown !== null;
    for (const secret of shown === null ? [] : secretsAt(shown.bytes, paid))
      if (await own.settle(secret)) own.over.add(key);
  }
  if (isWhole) own.bitcoinAt = hash;
}

function secretsAt(bytes: Uint8Array, coin: Outpoint): readonly Preimage[] {
  const input = readSeenTx(bytes)?.inputs.find((one) => sameOutpoint(one, coin));
  return input === undefined ? [] : [...candidatesIn(input)].map(asPreimage);
}

/** By the logs of the contracts: each lock of our account, and the secret that its claim shows; and those for us. */
async function onEvm(own: Showing, network: EvmNetwork): Promise<void> {
  const contracts = own.contracts(network);
  if (contracts === null) return;
  const port = evmOf(own.runtime.ports, network);
  const { htlc } = contracts;
  const tip = (await port.tip()).height;
  const span = Math.max(evmBlocks.least, mostBlocksIn(chainIdOf(network), evmSpan));
  const first = Math.max(0, tip - span);
  await readAgain(own, { network, port, htlc, first });
  const last = own.readTo.get(network);
  const began = performance.now();
  let from = last === undefined ? first : Math.max(0, last - evmBlocks.again);
  while (from <= tip && performance.now() - began < lookMs) {
    const to = Math.min(tip, from + evmBlocks.atOnce - 1);
    const events = await eventsIn({ port, htlc, from, to });
    if (events === null) {
      from = await skip(own, { network, port, htlc, from, tip });
      continue;
    }
    for (const event of events) {
      own.forUs.heard(network, contracts, event);
      const { key, what } = event;
      const name = `${network} ${toHex(key)}`;
      if (what.is === 'created' && sameBytes(what.terms.refundAddress, port.account())) own.locks.add(name);
      if (what.is === 'redeemed' && own.locks.has(name) && !own.over.has(name) && (await own.settle(what.preimage)))
        own.over.add(name);
    }
    own.readTo.set(network, to);
    from = to + 1;
  }
}

interface Reading {
  readonly network: EvmNetwork;
  readonly port: EvmPort;
  readonly htlc: SwapContracts['htlc'];
}

/** Null where nobody keeps logs of so long ago. */
async function eventsIn(of: Omit<Reading, 'network'> & { readonly from: number; readonly to: number }) {
  const { port, ...range } = of;
  try {
    return await port.events(range);
  } catch (cause) {
    if (!failedOnEvm(cause, 'evm-pruned') || (await hasLogs(port, range.htlc, range.from))) throw cause;
    return null;
  }
}

/** The first block whose logs are there; what lies before it is told to the owner, and asked for again. */
async function skip(
  { runtime, missing }: Showing,
  { network, port, htlc, from, tip }: Reading & { readonly from: number; readonly tip: number },
): Promise<number> {
  const there = Math.max(from + 1, tip + 1 - evmBlocks.again);
  // Nobody has any at all: the chain does not answer.
  await port.events({ htlc, from: Math.min(there, tip), to: Math.min(there, tip) });
  const to = await firstWithLogs(port, htlc, { below: from, there });
  const before = missing.get(network);
  missing.set(network, { from: before?.from ?? from, to, at: performance.now() });
  if (before === undefined)
    runtime.alert(
      null,
      `Too few RPCs of ${network} that answer keep the logs of blocks before ${to}, where locks may lie that the ` +
        'restored database does not know: give one that keeps them.',
    );
  return to;
}

/** Logs that are there again are read, and all after them once more: in the order of the chain. */
async function readAgain(
  { missing, readTo }: Showing,
  { network, port, htlc, first }: Reading & { readonly first: number },
): Promise<void> {
  const gap = missing.get(network);
  if (gap === undefined || performance.now() - gap.at < missingAgainMs) return;
  missing.set(network, { ...gap, at: performance.now() });
  const from = Math.max(gap.from, first);
  if (from < gap.to && (await ifKnown(() => hasLogs(port, htlc, from))) !== true) return;
  missing.delete(network);
  if (from < gap.to) readTo.set(network, from + evmBlocks.again);
}
