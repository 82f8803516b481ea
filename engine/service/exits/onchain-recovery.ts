import { randomUUID } from 'node:crypto';
import { noSats, plus, sats, type Sats } from '../../domain/money.ts';
import { outpointKey, sameOutpoint } from '../../domain/outpoint.ts';
import { hour, minute, type Unix } from '../../domain/time.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { WalletVtxo } from '../../legs/arkade/vtxo.ts';
import type { Log } from '../../runtime/log.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { newRow } from '../../runtime/working-set.ts';
import type { OwnCoinRow } from '../../store/own-coins.ts';
import { arkadeExit, arkadeExitEffect, type ArkadeExitTerms } from '../../swap/jobs/exit-arkade.ts';
import { onChain, type OnchainCoin } from './onchain-coins.ts';
import { provenSpends } from './proven-spends.ts';
import { createTries, type Tries } from './tries.ts';

/** Coins in one transaction home. */
const mostCoins = 50;
/**
 * A coin that neither the operator nor the chain knows, made by a transaction of ours that was given up, never came to
 * be.
 */
const forgottenAfter = 86_400;
/**
 * What the operator lists is its word: beyond this many it is not written down, or an invention of coins would fill the
 * disk.
 */
const mostOnRecord = 10_000;
/** One of so much has its place whatever strangers send: to fill the record with such takes a fortune. */
const alwaysKept = sats(10_000);
/**
 * What became of a coin that is missing for long may never be known: this many of them at a look, each once an hour.
 */
const mostOld = 20;
/** Of those that are missing since less than a day. */
const mostRecent = 200;

/** What the looks go by, and what they remember. */
interface Recovering {
  readonly runtime: Runtime;
  readonly log: Log;
  readonly store: Runtime['store'];
  readonly ports: Runtime['ports'];
  readonly clock: Runtime['clock'];
  now: readonly OnchainCoin[];
  /** When what is missing for long was last looked for. */
  readonly askedAt: Map<string, Unix>;
  /** Coins that were put into a job: one that no node takes comes back at every look. */
  readonly tries: Tries;
}

/**
 * Coins of ours on the chain (facts/faults.md 56). Whoever unrolls a coin takes along what hangs on the same
 * transactions, the change of our own locks for one. Every coin of ours is on record from the moment it is made, so
 * that one which the operator does not list any more is looked for, found again after a restart, and taken home once it
 * is ours alone.
 */
export function createOnchainRecovery(options: { runtime: Runtime; log: Log }) {
  const { runtime, log } = options;
  const { store, ports, clock } = runtime;
  const own: Recovering = {
    runtime,
    log,
    store,
    ports,
    clock,
    now: [],
    askedAt: new Map(),
    tries: createTries({ first: minute, factor: 4 }),
  };

  let searched = false;

  return {
    /** In short, for the doctor. */
    summary() {
      const waiting = own.now.filter(({ isSent }) => !isSent);
      const from = waiting.flatMap(({ ripeAt }) => (ripeAt === null ? [] : [ripeAt]));
      return {
        coins: waiting.length,
        sats: waiting.reduce((sum, { row }) => sum + row.amount, 0n),
        from: from.length === 0 ? null : Math.min(...from),
      };
    },
    /** What is known now, without asking anybody. */
    coins: () => own.now,
    /** Looks at the coins that the operator lists as the wallet's, and at what is missing among them. */
    async look(present: readonly WalletVtxo[], arkade: ArkadePort): Promise<readonly OnchainCoin[]> {
      if (!searched) {
        keep(own, await arkade.strandedCoins(), true);
        searched = true;
      }
      keep(own, present, false);
      const listed = new Set(present.map(({ outpoint }) => outpointKey(outpoint)));
      await lookFor(
        own,
        due(
          own,
          store.ownCoins.all().filter(({ outpoint, unrolled }) => !unrolled && !listed.has(outpointKey(outpoint))),
        ),
        arkade,
      );
      return lookThere(own, arkade);
    },
    /** The same without the operator: at those that are known to have left it. */
    lookThere: (arkade: ArkadePort) => lookThere(own, arkade),
  };
}

function keep({ store, clock }: Recovering, coins: readonly WalletVtxo[], unrolled: boolean): void {
  const at = clock.now().wall;
  const recorded = new Map(store.ownCoins.all().map((row) => [outpointKey(row.outpoint), row]));
  let room = mostOnRecord - recorded.size;
  const fresh = coins.filter(({ outpoint, amount }) => {
    const row = recorded.get(outpointKey(outpoint));
    if (row !== undefined) return unrolled && !row.unrolled;
    return amount >= alwaysKept || room-- > 0;
  });
  if (fresh.length === 0) return;
  store.atomically(() => {
    for (const { outpoint, amount, under } of fresh) {
      store.ownCoins.keep({ outpoint, amount, ...under }, at);
      if (unrolled) store.ownCoins.unrolled(outpoint);
    }
  });
}

/** Those that were asked about longest ago first. */
function due({ clock, askedAt }: Recovering, missing: readonly OwnCoinRow[]): OwnCoinRow[] {
  const { wall } = clock.now();
  const lastAskedAt = ({ outpoint }: OwnCoinRow): number => askedAt.get(outpointKey(outpoint)) ?? 0;
  const isOld = ({ seenAt }: OwnCoinRow): boolean => Math.abs(wall - seenAt) > forgottenAfter;
  const keys = new Set(missing.map(({ outpoint }) => outpointKey(outpoint)));
  for (const key of askedAt.keys()) if (!keys.has(key)) askedAt.delete(key);
  const rows = [...missing].sort((a, b) => lastAskedAt(a) - lastAskedAt(b));
  const old = rows.filter((row) => isOld(row) && Math.abs(wall - lastAskedAt(row)) >= hour);
  return [...rows.filter((row) => !isOld(row)).slice(0, mostRecent), ...old.slice(0, mostOld)];
}

/**
 * Of coins on record that the operator does not list: spent, on the chain, or never made. That one is spent is its
 * word, and so is its silence: only by a transaction that we know to be final was it. What a batch of ours took the
 * renewal forgets, and what is spent on the chain its proof there; any other stays on record, for it may come to the
 * chain yet.
 */
async function lookFor(own: Recovering, missing: readonly OwnCoinRow[], arkade: ArkadePort): Promise<void> {
  const { store, clock, askedAt } = own;
  if (missing.length === 0) return;
  const listed = await arkade.coinsAt(missing.map(({ outpoint }) => outpoint));
  for (const row of missing) {
    const { outpoint } = row;
    askedAt.set(outpointKey(outpoint), clock.now().wall);
    const coin = listed.find((seen) => sameOutpoint(seen.outpoint, outpoint));
    // A transaction of ours that the unrolling cut short never takes the coin: it is ours still.
    const spender = coin?.spent === true && coin.spentIn !== null ? store.transactions.byId(coin.spentIn) : null;
    const cutShort = spender !== null && spender.state !== 'final';
    if (coin?.unrolled === true && (!coin.spent || spender?.state === 'dead')) store.ownCoins.unrolled(outpoint);
    else if (coin !== undefined && spender?.state === 'final' && (await provenSpends([coin], arkade)).size > 0)
      store.ownCoins.forget(outpoint);
    else if (coin === undefined || (coin.spent && !cutShort)) await lookOnChain(own, row, coin === undefined);
  }
}

async function lookOnChain(
  { store, ports, clock }: Recovering,
  { outpoint, seenAt }: OwnCoinRow,
  unknown: boolean,
): Promise<void> {
  const transaction = (await ports.bitcoin?.transaction(outpoint.txid)) ?? null;
  if (transaction !== null && transaction.height !== null) store.ownCoins.unrolled(outpoint);
  else if (
    unknown &&
    clock.now().wall - seenAt > forgottenAfter &&
    store.transactions.byId(outpoint.txid)?.state === 'dead'
  )
    store.ownCoins.forget(outpoint);
}

function inJob({ runtime }: Recovering): Set<string> {
  const taken = new Set<string>();
  for (const { row, machine } of runtime.workingSet.all()) {
    if (machine.name === arkadeExit.name)
      for (const { outpoint } of (row.terms as ArkadeExitTerms).coins) taken.add(outpointKey(outpoint));
  }
  return taken;
}

/** Ripe coins go home together, in a job of the same kind as a withdrawal. */
function takeHome(own: Recovering): void {
  const { runtime, clock, tries } = own;
  const {
    wall,
    bitcoin: { mtp, height },
  } = clock.now();
  if (mtp === null || height === null) return;
  const taken = inJob(own);
  const ripe = own.now.filter(
    ({ row, ripeAt, ripeHeight, isSent }) =>
      !isSent &&
      !taken.has(outpointKey(row.outpoint)) &&
      !tries.rests(outpointKey(row.outpoint), wall) &&
      ((ripeAt !== null && ripeAt <= mtp) || (ripeHeight !== null && ripeHeight <= height + 1)),
  );
  if (ripe.length === 0) return;
  const coins = ripe
    .slice(0, mostCoins)
    .map(({ row: { outpoint, amount, signer, exitDelay } }) => ({ outpoint, amount, signer, exitDelay }));
  const terms: ArkadeExitTerms = { coins };
  for (const { outpoint } of coins) tries.note(outpointKey(outpoint), wall);
  openExit(runtime, terms);
}

/** The job that takes coins of one sort home: together, so that one that is not ripe keeps all of them. */
export function openExit({ commits, clock, log }: Pick<Runtime, 'commits' | 'clock' | 'log'>, terms: ArkadeExitTerms) {
  const id = randomUUID();
  const valueSats = terms.coins.reduce<Sats>((sum, { amount }) => plus(sum, amount), noSats);
  commits.open(id, () => ({
    row: newRow({
      id,
      machine: arkadeExit.name,
      createdAt: clock.now().wall,
      status: 'pending',
      valueSats,
      terms,
      progress: { at: 'choosing' },
    }),
    effects: [arkadeExitEffect(terms)],
  }));
  log.info({ job: id, coins: terms.coins.length }, 'own coins on the chain are taken home');
  return id;
}

async function lookThere(own: Recovering, arkade: ArkadePort): Promise<readonly OnchainCoin[]> {
  const { store, ports } = own;
  const { bitcoin } = ports;
  const rows = store.ownCoins.all().filter(({ unrolled }) => unrolled);
  const coins: OnchainCoin[] = [];
  for (const row of rows) {
    const coin =
      bitcoin === null
        ? { row, ripeAt: null, ripeHeight: null, isSent: false }
        : await onChain(own, row, bitcoin, arkade);
    if (coin !== null) coins.push(coin);
  }
  own.now = coins;
  takeHome(own);
  return own.now;
}

export type OnchainRecovery = ReturnType<typeof createOnchainRecovery>;
