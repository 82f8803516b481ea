import {
  ArkAddress,
  ArkNote,
  InMemoryContractRepository,
  InMemoryWalletRepository,
  RestIndexerProvider,
  SingleKey,
  Wallet,
  type ExtendedCoin,
  type OnchainProvider,
  type VirtualCoin,
} from '@arkade-os/sdk';
import { hex } from '@scure/base';
import { setTimeout as pause } from 'node:timers/promises';
import { provideEventSource } from '../../../engine/adapters/arkade/connect.ts';
import type { Sats } from '../../../engine/domain/money.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import type { OperatorAdmin } from './admin.ts';

/** Hands out coins of a real operator; all of them begin as notes of its admin port. */
export interface Bank {
  faucet(address: string, amount: Sats): Promise<Outpoint>;
  stop(): Promise<void>;
}

const reserve = 20_000_000;
/** Milliseconds until a round has taken in a note; a round that the operator drops says nothing. */
const roundLimit = 20_000;
const attempts = 3;

/**
 * `shortLived`: coins expire within half a minute, so each is made fresh by a round of its own. Otherwise one round
 * fills the bank, which then pays without any: each round locks coins of the operator's wallet for a minute.
 */
export async function openBank(options: { url: string; admin: OperatorAdmin; shortLived: boolean }): Promise<Bank> {
  provideEventSource();
  const { url, admin } = options;
  const indexer = new RestIndexerProvider(url);
  const wallet = await Wallet.create({
    identity: SingleKey.fromRandomBytes(),
    arkServerUrl: url,
    onchainProvider: noChain,
    storage: { walletRepository: new InMemoryWalletRepository(), contractRepository: new InMemoryContractRepository() },
    settlementConfig: false,
  });
  const own = await wallet.getAddress();

  async function settleNote(address: string, amount: number): Promise<void> {
    const note = ArkNote.fromString(await admin.note(amount)) as ExtendedCoin;
    await withLimit(
      wallet.settle({ inputs: [note], outputs: [{ address, amount: BigInt(amount) }] }),
      'the operator took no note into a round',
    );
  }

  async function coinsAt(address: string): Promise<VirtualCoin[]> {
    return (await indexer.getVtxos({ scripts: [hex.encode(ArkAddress.decode(address).pkScript)] })).vtxos;
  }

  async function pay(address: string, amount: number): Promise<void> {
    const { available } = await wallet.getBalance();
    if (available < amount + 1_000) await again(() => settleNote(own, reserve + amount));
    await again(() => wallet.send({ address, amount }));
  }

  return {
    async faucet(address, amount) {
      const earlier = new Set((await coinsAt(address)).map(({ txid, vout }) => `${txid}:${vout}`));
      if (options.shortLived) await again(() => settleNote(address, Number(amount)));
      else await pay(address, Number(amount));
      const deadline = performance.now() + roundLimit;
      for (;;) {
        const fresh = (await coinsAt(address)).find(
          ({ txid, vout, value }) => !earlier.has(`${txid}:${vout}`) && value === Number(amount),
        );
        if (fresh !== undefined) return { txid: fresh.txid, vout: fresh.vout };
        if (performance.now() > deadline) throw new Error(`the coin for ${address} does not show at the operator`);
        await pause(20);
      }
    },
    async stop() {
      await wallet.dispose();
    },
  };
}

/** The indexer trails by milliseconds, and rounds fail for want of coins: both pass. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let left = attempts; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left <= 1) throw error;
      await pause(500);
    }
  }
}

async function withLimit<T>(work: Promise<T>, sentence: string): Promise<T> {
  const ended = new AbortController();
  const tooLong = pause(roundLimit, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`${sentence} within ${roundLimit / 1_000} s`);
  });
  tooLong.catch(() => undefined);
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    ended.abort();
  }
}

/** The bank has nothing on chain. */
const noChain: OnchainProvider = {
  getCoins: async () => [],
  getFeeRate: async () => 1,
  broadcastTransaction: async () => Promise.reject(new Error('the bank has no chain')),
  getTxOutspends: async () => [],
  getTransactions: async () => [],
  getTxStatus: async () => ({ confirmed: false }),
  getChainTip: async () => Promise.reject(new Error('the bank has no chain')),
  watchAddresses: async () => () => undefined,
};
