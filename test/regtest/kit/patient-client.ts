import { deleteForwardingReputations, getChannels } from 'ln-service';
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { blocksAfterTimeout } from '../../../engine/legs/timelocks.ts';
import { defaultPolicy } from '../../../engine/legs/timeout-policy.ts';
import type { Received, Sent, Swap } from '../../stories/client/client.ts';
import { whole } from '../../stories/client/http.ts';
import { until } from './daemon.ts';
import { lightningWallet } from './lightning-wallet.ts';
import type { Lnd } from './lnd.ts';
import type { Played } from './oracle.ts';
import type { Stage } from './stage.ts';

export interface Receiving {
  readonly swap: Received;
  readonly hash: string;
}

export interface Sending {
  readonly swap: Sent;
  readonly hash: string;
  readonly secret: string;
}

/**
 * A client that tries everything again until it is done, whoever is dead meanwhile, and never does anything twice. Its
 * payments leave one after the other: lnd 0.20.2 (0.21.1 has the same lines) loses a channel for good when two payments
 * that came with the same commitment are settled before and after a restart of the channel (it counts the second one as
 * the first).
 */
export interface PatientClient {
  readonly played: Played[];
  receive(sats?: number): Promise<Receiving>;
  send(kind?: 'plain' | 'held', sats?: number): Promise<Sending>;
  /** Begins to pay. */
  pay(receiving: Receiving): Promise<void>;
  /**
   * Waits until its wallet's payment is on its way: lnd never sends what it is killed over before (facts/faults.md 23).
   */
  sent(receiving: Receiving): Promise<void>;
  /** Pays, again where the payment failed on its way, until the node has locked its coin. */
  locked(receiving: Receiving): Promise<void>;
  claim(receiving: Receiving): Promise<void>;
  fund(sending: Sending): Promise<void>;
  settle(sending: Sending): Promise<void>;
  cancel(sending: Sending): Promise<void>;
  refund(sending: Sending): Promise<void>;
  /** Asks for its coin back all the time until told to stop, and takes it the moment that the node signs. */
  greed(sending: Sending): { stop(): Promise<void> };
  /**
   * The ends of payments that nobody holds up: made, or refunded when there was no way to the payee at its time, or
   * when the node's lnd was killed before it sent what it had begun. Such a one is lost only after all its blocks, so
   * nothing else may be in flight.
   */
  paidOrRefunded(sendings: readonly Sending[]): Promise<void>;
  /** Across deaths of the node. */
  reached(swap: Swap, status: string): Promise<void>;
}

const limitMs = 90_000;
const stepMs = 150;
/** More than lnd waits for further payments before it commits. */
const apartMs = 250;
/** What has begun and is on no channel after so long was never sent. */
const unsentMs = 2_000;
/**
 * No HTLC of the swap's payment can be left after so many: it may run until the client's refund opens, were all blocks
 * slow.
 */
function allBlocks({ swap: { record } }: Sending): number {
  const left = whole(record, 'vhtlc_refund_locktime') - Date.now() / 1_000;
  return Math.ceil(left / defaultPolicy.slowBlock) + blocksAfterTimeout + 1;
}

export function patientClient({ client, wallet, net, ours, theirs, reached, operator }: Stage): PatientClient {
  const played: Played[] = [];
  const ourWallet = lightningWallet(ours);
  let turn = Promise.resolve();

  /** Resolves for one caller at a time. */
  function apart(): Promise<void> {
    const mine = turn;
    turn = turn.then(() => pause(apartMs));
    return mine;
  }

  function goOn<T>(what: string, act: () => Promise<T | null>): Promise<T> {
    return until(what, act, { limitMs, stepMs });
  }

  async function beginToPay({ swap, hash }: Receiving): Promise<true | null> {
    const state = await wallet.payment(hash);
    if (state === 'in-flight' || state === 'settled') return true;
    // A route that failed while a node on it was dead is not tried again for hours.
    if (state === 'failed') await deleteForwardingReputations({ lnd: theirs.lnd });
    await apart();
    wallet.pay(swap.bolt11);
    return null;
  }

  async function unsent({ hash }: Sending): Promise<boolean> {
    for (const waitMs of [unsentMs, 0]) {
      if ((await ourWallet.payment(hash)) !== 'in-flight' || (await isOnItsWay(ours, hash))) return false;
      await pause(waitMs);
    }
    return true;
  }

  async function atRest(sending: Sending): Promise<string> {
    return goOn(`the payment of ${sending.swap.id} ends`, async () => {
      const status = await client.status(sending.swap);
      if (status === 'serverredeemed' || status === 'serverwontfund') return status;
      if (await unsent(sending)) return 'unsent';
      throw new Error(`the swap is ${status}`);
    });
  }

  async function refund({ swap }: Sending): Promise<void> {
    await goOn('the refund', async () =>
      (await client.arkade.unspent(swap.vhtlc)).length === 0 ? 'refunded' : client.collabRefund(swap),
    );
  }

  return {
    played,
    receive: (sats = 20_000) =>
      goOn('the create', async () => {
        const swap = await client.lightningToArkade({ source: sats });
        const hash = createHash('sha256').update(swap.secret).digest('hex');
        played.push({ direction: 'lightning-arkade', swap, hash });
        return { swap, hash };
      }),
    send: (kind = 'plain', sats = 20_000) =>
      goOn('the create', async () => {
        const { bolt11, hash, secret } = await wallet.invoice(sats, kind);
        const swap = await client.arkadeToLightning(bolt11);
        played.push({ direction: 'arkade-lightning', swap, hash });
        return { swap, hash, secret };
      }),
    async pay(receiving) {
      await goOn('the payment', () => beginToPay(receiving));
    },
    async sent({ hash }) {
      await goOn('the payment leaves', async () => {
        const state = await wallet.payment(hash);
        return state === 'unknown' || (state === 'in-flight' && !(await isOnItsWay(theirs, hash))) ? null : state;
      });
    },
    async locked(receiving) {
      await goOn('the lock', async () => {
        const status = await client.status(receiving.swap);
        if (status === 'serverfunded') return status;
        await beginToPay(receiving);
        throw new Error(`the swap is ${status}`);
      });
    },
    async claim({ swap }) {
      await goOn('the claim', async () => {
        if ((await client.arkade.coins(swap.vhtlc)).length === 0) throw new Error('there is no coin to claim');
        if ((await client.arkade.unspent(swap.vhtlc)).length > 0) return client.claim(swap);
        if (await client.arkade.paidBy(swap.vhtlc)) return 'claimed';
        // The operator took the claim and died, or its answer was lost: the claim is not over.
        await client.arkade.finishClaim(swap.vhtlc, swap.secret);
        return null;
      });
    },
    async fund({ swap }) {
      await apart();
      await goOn('the funding', async () =>
        (await client.arkade.coins(swap.vhtlc)).length > 0 ? 'funded' : operator.faucet(swap.vhtlc.address, swap.price),
      );
    },
    async settle({ secret, hash }) {
      await goOn('the payee takes the payment', async () => {
        if ((await wallet.invoiceState(hash)) === 'settled') return true;
        await wallet.settle(secret);
        return null;
      });
    },
    async cancel({ hash }) {
      await goOn('the payee gives the payment back', async () => {
        if ((await wallet.invoiceState(hash)) === 'cancelled') return true;
        await wallet.cancel(hash);
        return null;
      });
    },
    refund,
    greed({ swap }) {
      let over = false;
      async function ask(): Promise<void> {
        for (; !over; await pause(stepMs)) await client.collabRefund(swap).catch(() => 'refused, or nobody there');
      }
      const asking = ask();
      return {
        async stop() {
          over = true;
          await asking;
        },
      };
    },
    async paidOrRefunded(sendings) {
      if ((await Promise.all(sendings.map(atRest))).includes('unsent'))
        await net.mine(Math.max(...sendings.map(allBlocks)));
      await Promise.all(
        sendings.map(async (one) => {
          if ((await reached(one.swap, 'serverredeemed', 'serverwontfund')) === 'serverredeemed') return;
          await refund(one);
          await reached(one.swap, 'clientrefunded');
        }),
      );
    },
    reached: async (swap, status) => void (await reached(swap, status)),
  };
}

async function isOnItsWay({ lnd }: Lnd, hash: string): Promise<boolean> {
  const { channels } = await getChannels({ lnd });
  return channels.some(({ pending_payments }) => pending_payments.some(({ id }) => id === hash));
}
