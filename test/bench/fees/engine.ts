import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { openDatabase } from '../../../engine/store/open.ts';
import { createSealer } from '../../../engine/store/sealer.ts';
import { createStore } from '../../../engine/store/store.ts';
import { btcOn, sats } from '../../../engine/domain/money.ts';
import { unix, type Clocks } from '../../../engine/domain/time.ts';
import { feeUp } from '../../../engine/legs/onchain/size.ts';
import { withdrawalCeiling } from '../../../engine/domain/withdrawal-cost.ts';
import { feeReserve } from '../../../engine/quote/ceilings.ts';
import { createJointClaims } from '../../../engine/runtime/networks/onchain/joint-claims.ts';
import { believedRate } from '../../../engine/runtime/networks/onchain/fee-rate.ts';
import { noUrgency } from '../../../engine/runtime/networks/onchain/fee-urgency.ts';
import { parseTx } from '../../../engine/sandbox/world/bitcoin/tx.ts';
import type { BitcoinWalletPort } from '../../../engine/legs/onchain/wallet-port.ts';
import type { OnchainContext } from '../../../engine/runtime/networks/onchain/context.ts';
import { broadcast } from '../../../engine/runtime/networks/onchain/broadcast.ts';
import { prepareHtlcSpend } from '../../../engine/runtime/networks/onchain/spend.ts';
import { NotYet } from '../../../engine/runtime/not-yet.ts';
import { noUnpaidCosts } from '../../../engine/runtime/unpaid.ts';
import type { EffectRow } from '../../../engine/store/effects.ts';
import { broadcastEffect } from '../../../engine/swap/halves/broadcast.ts';
import type { Effect, Event } from '../../../engine/swap/machine.ts';
import { sendEffect } from '../../../engine/swap/halves/bitcoin/fund/effects.ts';
import type { OnchainTargetTerms } from '../../../engine/swap/halves/bitcoin/fund/terms.ts';
import { claimEffect } from '../../../engine/swap/halves/bitcoin/claim/claiming.ts';
import type { OnchainSourceTerms } from '../../../engine/swap/halves/bitcoin/claim/terms.ts';
import { testConfig } from '../../support/node.ts';
import { begins, type SimulatedChain } from './chain.ts';
import { fundingOf, fundingSize, htlcOutput, preparedChild, preparedClaim, secret, terms } from './transactions.ts';
import type { Claim } from './claims.ts';

/**
 * A store on the disk of its own, as the node keeps it; nobody cuts the power of a simulation, so that nothing is
 * synced.
 */
export function openSimulatedStore() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-fees-'));
  const db = openDatabase(folder);
  db.pragma('synchronous = OFF');
  const store = createStore(db, createSealer(new Uint8Array(32).fill(1)));
  store.preimages.keep(terms.hash, secret, unix(begins));
  return {
    store,
    close(): void {
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type SimulatedStore = ReturnType<typeof openSimulatedStore>['store'];

/** Carries out what one swap is owed on the chain, by the node's own effects. */
export function engineOver(chain: SimulatedChain, store: SimulatedStore, now: () => number) {
  const { ceilings } = testConfig();
  const wallet = {
    async prepareHtlcSpend({ coin, feeRate, mostFee }) {
      return preparedClaim(coin, coin.amount as never, { feeRate, mostFee });
    },
    prepareCpfp: async (request) => preparedChild(request),
  } as Pick<BitcoinWalletPort, 'prepareHtlcSpend' | 'prepareCpfp'> as BitcoinWalletPort;

  /** What is left to do after this effect: itself again, the next one, or nothing. */
  async function run(subject: string, effect: Effect, attempts: number, next: (event: Event) => Effect | null) {
    let following: Effect | null = effect;
    const wall = unix(begins + now());
    const context: OnchainContext = {
      ports: { bitcoin: chain.port, bitcoinWallet: wallet },
      store,
      clock: {
        now: () => ({ wall, bitcoin: { mtp: chain.mtp(), height: chain.tip().height } }) as Clocks,
        tip: chain.tip,
      },
      row: { id: 1, subject, effect, attempts, asked: 0, due: 0, parked: null } as EffectRow,
      alone: (_, work) => work(),
      bundled: () => Promise.resolve(true),
      ceilings: () => ceilings,
      unpaid: noUnpaidCosts,
      judge: { forbidden: async () => null, stillWanted: async () => undefined },
      raiseAsked: () => false,
      jointClaims: createJointClaims(),
      taken: { add: () => undefined, forget: () => undefined },
      together: (save) => Promise.resolve(save()),
      tell: () => undefined,
      answer(event, along = {}) {
        store.atomically(() => {
          along.prepared?.(store, wall);
          along.ifMoved?.(store, wall);
          along.always?.(store, wall);
        });
        following = next(event);
      },
    };
    try {
      if (effect.do === 'htlc.spend') await prepareHtlcSpend(effect, context);
      else if (effect.do === 'onchain.broadcast') await broadcast(effect, context);
      else throw new Error(`${effect.do} is no effect of the simulation`);
    } catch (cause) {
      if (!(cause instanceof NotYet)) throw cause;
      return effect;
    }
    return following;
  }

  return {
    /** Funds an HTLC as the node does, and follows the funding until it is mined. */
    async funding({ id, coin, amount }: Claim): Promise<() => Promise<void>> {
      const rate = await believedRate(chain.port, { within: noUrgency.within, doubtAbove: 0, late: false });
      const fee = feeUp(fundingSize, rate);
      const htlc = sats(amount - fee - feeReserve);
      const bytes = fundingOf(coin, amount, htlc, fee);
      const { txid } = parseTx(bytes);
      store.transactions.insert(
        { ...btcOn('bitcoin'), txid, subject: id, leg: 'bitcoin', purpose: 'fund', bytes, inputs: [coin] },
        begins + now(),
      );
      const key = { branch: 'bitcoin-change', index: 1 } as const;
      const payment = {
        txid,
        coins: [{ outpoint: coin, amount, key }],
        change: { amount: feeReserve, key },
        fee,
        rate,
        capped: true,
      };
      const mostFee = withdrawalCeiling(htlc, ceilings);
      const effect = sendEffect({ mostFee } as OnchainTargetTerms, { payment, height: chain.tip().height });
      let attempts = 0;
      return async () => void (await run(id, effect, attempts++, () => null));
    },
    /** Follows a claim from its first look on; to be called at each block and now and then between. */
    async claim({ id, coin, deadline }: Claim): Promise<() => Promise<void>> {
      const t = {
        htlc: { ...terms, refundLocktime: unix(deadline) },
        htlcScript: htlcOutput,
        keyIndex: 1,
      } as OnchainSourceTerms;
      let effect: Effect | null = claimEffect(t, { coin });
      let attempts = 0;
      return async () => {
        for (let rounds = 0; effect !== null && rounds < 6; rounds++) {
          const before: Effect = effect;
          effect = await run(id, before, attempts, (event) => {
            if (event.is === 'onchain.prepared') return broadcastEffect(coin, event);
            if (event.is === 'onchain.stuck') return claimEffect(t, { coin }, event.leastRate);
            if (event.is === 'onchain.refused' && event.why !== 'spent') return claimEffect(t, { coin });
            return null;
          });
          attempts += 1;
          if (effect === before) return;
        }
      };
    },
  };
}
