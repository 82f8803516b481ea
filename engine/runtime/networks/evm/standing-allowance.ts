import { isEvm, type EvmNetwork } from '../../../domain/chain.ts';
import { PortFailure } from '../../../domain/errors.ts';
import { toHex } from '../../../domain/hex.ts';
import { sats } from '../../../domain/money.ts';
import { hasPassed, hour } from '../../../domain/time.ts';
import type { EvmPort } from '../../../legs/evm/port.ts';
import type { NonceRow, Taker } from '../../../store/nonces.ts';
import { NotYet } from '../../not-yet.ts';
import { evmOf } from '../../ports.ts';
import type { Wallets } from '../../wallets.ts';
import { addressOf, aheadOf, approval, isSame, owedTo, sumOf, takerOf } from './allowance.ts';
import { signed, type AccountContext } from './prepare.ts';
import type { QueueOptions } from './look.ts';
import type { AllowancePolicy } from './rules.ts';
import { isWaiting } from './variants.ts';

/**
 * How often an allowance is looked at though nothing was locked, after a look that failed, and at most, in
 * milliseconds.
 */
const everyMs = { usual: 600_000, failed: 60_000, least: 2_000 } as const;
/**
 * What it is worth that a lock need not wait for its approval: what bounds its gas. Where that is dearer each lock has
 * its own.
 */
const worth = sats(40_000n);
/** Times the largest swap from which on an allowance is taken back to what is wanted. */
const tooMany = 3n;

interface Look {
  readonly network: EvmNetwork;
  readonly port: EvmPort;
  readonly account: string;
  readonly rows: readonly NonceRow[];
}

interface Chain {
  /** What `former` and `isOurs` are about. */
  of: string;
  /** Whom allowances were given to that new locks do not use. */
  former: readonly Taker[];
  isOurs: boolean;
  notBefore: number;
  lookedAt: number;
}

/** What the allowances are kept by. */
interface AllowanceKeeping {
  readonly ports: QueueOptions['ports'];
  readonly store: QueueOptions['store'];
  readonly clock: QueueOptions['clock'];
  readonly log: QueueOptions['log'];
  readonly chains: Map<EvmNetwork, Chain>;
  readonly context: AccountContext;
}

/**
 * Keeps an allowance of the HTLC of new swaps ahead of their locks, so that a lock need not wait for its own approval:
 * for two of the largest swaps, topped up when less than one is left, never more than three. Only for the very code of
 * ours, of which no allowance can be taken but by our own calls; what other contracts were given before is taken back.
 * Approvals are transactions of the account as all others: signed and saved with their nonce at once, and sent by its
 * queue.
 */
export function createStandingAllowances(options: QueueOptions & Pick<Wallets, 'alone'>) {
  const { ports, store, clock, log, rules, unpaid, alone } = options;
  const chains = new Map<EvmNetwork, Chain>();
  const context = { ports, store, clock, evm: rules, unpaid };
  const own: AllowanceKeeping = { ports, store, clock, log, chains, context };

  return {
    networks: (): readonly EvmNetwork[] => Object.keys(ports).filter(isEvm),
    /** Something took of it, or will. */
    used(network: EvmNetwork): void {
      const chain = chains.get(network);
      if (chain !== undefined) chain.notBefore = Math.min(chain.notBefore, chain.lookedAt + everyMs.least);
    },
    /** True when something was signed. */
    async keep(network: EvmNetwork): Promise<boolean> {
      let chain: Chain | null = null;
      try {
        const { standing } = rules(network);
        const now = chainOf(own, network, standing);
        chain = now;
        if (performance.now() < now.notBefore) return false;
        now.notBefore = performance.now() + everyMs.usual;
        const isSigned = await alone(network, () => look(own, network, standing, now));
        if (isSigned) now.notBefore = performance.now() + everyMs.least;
        return isSigned;
      } catch (cause) {
        if (!(cause instanceof NotYet) && !(cause instanceof PortFailure)) throw cause;
        if (chain !== null) chain.notBefore = performance.now() + everyMs.failed;
        return false;
      }
    },
  };
}

function chainOf({ chains }: AllowanceKeeping, network: EvmNetwork, standing: AllowancePolicy | null): Chain {
  const of = standing === null ? '' : JSON.stringify([takerOf(standing), `${standing.largest}`]);
  const before = chains.get(network);
  if (before?.of === of) return before;
  const chain = { of, former: [], isOurs: false, notBefore: 0, lookedAt: -Infinity };
  chains.set(network, chain);
  return chain;
}

async function sign(
  { store, clock, log, context }: AllowanceKeeping,
  { network }: Look,
  taker: Taker,
  amounts: { amount: bigint; before: bigint },
): Promise<boolean> {
  const subject = `account:${network}`;
  const simulation = await approval(
    { network, subject, deadline: null, value: worth, patient: true },
    { taker, ...amounts },
    context,
  );
  if (simulation.is === 'reverts') {
    log.warn({ network, token: taker.token, reason: simulation.reason }, 'a token refuses to be approved');
    return false;
  }
  store.atomically(() => signed(simulation.priced, store).save(store, clock.now().wall));
  return true;
}

/** Nothing of ours is left with a contract that new swaps do not use, once no lock of an older one needs it. */
async function takeBack(own: AllowanceKeeping, chain: Chain, look: Look): Promise<boolean> {
  const { store } = own;
  const { network, port, rows } = look;
  for (const taker of chain.former) {
    if (rows.some((row) => isSame(row.takes, taker)) || owedTo(taker, network, store) > 0n) continue;
    const before = await port.allowance(addressOf(taker.token), port.account(), addressOf(taker.spender));
    if (before > 0n && (await sign(own, look, taker, { amount: 0n, before }))) return true;
    chain.former = chain.former.filter((one) => one !== taker);
  }
  return false;
}

async function topUp(own: AllowanceKeeping, standing: AllowancePolicy, chain: Chain, look: Look): Promise<boolean> {
  const { store, clock, log } = own;
  const { network, port, account, rows } = look;
  const { largest } = standing;
  if (largest === null) return false;
  const taker = takerOf(standing);
  if ((await port.balance(standing.token, port.account())) === 0n) return false;
  const before = await port.allowance(standing.token, port.account(), standing.contracts.htlc);
  const left = before - sumOf(rows.filter((row) => isSame(row.takes, taker)).map(({ takes }) => takes));
  const debt = owedTo(taker, network, store);
  const isLow = left < debt + largest;
  if (!isLow && left <= debt + tooMany * largest) return false;
  // Who says that it is used up although nothing of ours used it lies or lags, and would have us pay for gas for
  // ever.
  const last = store.nonces.lastApproval(network, account, taker);
  const isFresh = last !== null && !hasPassed(hour, last.at, clock.now().wall);
  if (isLow && isFresh && last.taken + debt < largest) return false;
  if (!chain.isOurs) {
    chain.isOurs = await port.isOurs(standing.contracts);
    if (!chain.isOurs) {
      log.warn({ network }, 'the HTLC is not of our code: nothing is approved ahead, each lock has its own approval');
      return false;
    }
  }
  return sign(own, look, taker, { amount: debt + aheadOf(standing, taker), before });
}

async function look(
  own: AllowanceKeeping,
  network: EvmNetwork,
  standing: AllowancePolicy | null,
  chain: Chain,
): Promise<boolean> {
  const { ports, store } = own;
  const port = evmOf(ports, network);
  if (port.disagreement() !== null) return false;
  const account = toHex(port.account());
  const rows = store.nonces.open(network).filter((row) => row.account === account && isWaiting(row));
  // One at a time: the next is judged by what this one leaves.
  if (rows.some(({ purpose }) => purpose === 'approve')) {
    chain.notBefore = performance.now() + everyMs.least;
    return false;
  }
  if (chain.lookedAt === -Infinity)
    chain.former = store.nonces
      .takers(network, account)
      .filter((taker) => standing === null || !isSame(takerOf(standing), taker));
  chain.lookedAt = performance.now();
  const of = { network, port, account, rows };
  return (await takeBack(own, chain, of)) || (standing !== null && (await topUp(own, standing, chain, of)));
}
