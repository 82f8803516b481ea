import { getChainBalance, getChannelBalance, getChannels, getPendingChainBalance } from 'ln-service';
import { randomBytes } from 'node:crypto';
import { connectArkade } from '../../../engine/adapters/arkade/connect.ts';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { connectLnd } from '../../../engine/adapters/lnd/connect.ts';
import type { ArkadeLightningRecord } from '../../../engine/contract/directions/arkade-lightning.ts';
import type { LightningArkadeRecord } from '../../../engine/contract/directions/lightning-arkade.ts';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
import { unix } from '../../../engine/domain/time.ts';
import { paymentsOf } from '../../crash/support/oracle.ts';
import { conservation, faultsOf, type Balances, type Verdict } from '../../crash/support/verdict.ts';
import { balanceAt, fatesAt, termsOf } from '../../crash/support/wallet.ts';
import type { Swap } from '../../stories/client/client.ts';
import { readFileSync } from 'node:fs';
import { until } from './daemon.ts';
import type { Lnd } from './lnd.ts';
import type { Stage } from './stage.ts';

/** A swap that was played, as far as its client knows it. */
export interface Played {
  readonly direction: 'lightning-arkade' | 'arkade-lightning';
  readonly swap: Swap;
  readonly hash: string;
}

/** What everybody has, as the daemons and the operator tell it; nothing comes from the node's own store. */
export interface Books extends Balances {
  /** Msat in the client's channel. */
  readonly theirLightningMsat: bigint;
  /** Sats in both lnds' wallets on the chain. */
  readonly ourChain: bigint;
  readonly theirChain: bigint;
}

/** Looks at real balances before and after swaps that are over, and finds every sat that they do not explain. */
export interface Oracle {
  /** Waits until no payment is in flight. */
  books(): Promise<Books>;
  /** Each fault in a sentence: of the swaps one by one, and of all money together. */
  faults(before: Books, played: readonly Played[]): Promise<string[]>;
  stop(): Promise<void>;
}

export async function openOracle(
  stage: Pick<Stage, 'ours' | 'theirs' | 'operator' | 'client' | 'nodeScript'>,
): Promise<Oracle> {
  const { ours, theirs, operator, client, nodeScript } = stage;
  const now = () => unix(Math.floor(Date.now() / 1_000));
  const arkade = connectArkade(operator.url, {
    keys: createKeys(randomBytes(64), 'regtest').privateKey,
    clock: { wall: now, mtp: now },
    network: 'regtest',
  });
  const lightning = connectLnd({
    socket: ours.socket,
    cert: readFileSync(ours.certFile),
    macaroon: readFileSync(ours.macaroonFile),
    network: 'regtest',
  });
  const { signer } = await arkade.info();

  async function books(): Promise<Books> {
    await Promise.all(
      [ours, theirs].map((one) =>
        until(`nothing is in flight at ${one.alias}`, async () => (await channelMsat(one)).inFlight === 0n || null),
      ),
    );
    return {
      lightningMsat: (await channelMsat(ours)).own,
      theirLightningMsat: (await channelMsat(theirs)).own,
      unsettledMsat: 0n,
      arkade: await balanceAt(arkade, nodeScript),
      client: BigInt(await client.arkade.balance()),
      ourChain: await chainSats(ours),
      theirChain: await chainSats(theirs),
    };
  }

  async function judge({ direction, swap, hash }: Played): Promise<Verdict> {
    const record = swap.record as unknown as LightningArkadeRecord | ArkadeLightningRecord;
    const scenario = { hash, record };
    const coins = await fatesAt(arkade, termsOf(record, signer));
    const key = asSha256(fromHex(hash));
    if (direction === 'lightning-arkade')
      return { direction, scenario, coins, hold: (await lightning.hold(key)).is, payment: null };
    return { direction, scenario, coins, hold: null, payment: await lightning.payment(key) };
  }

  return {
    books,
    async faults(before, played) {
      const after = await books();
      const verdicts = await Promise.all(played.map(judge));
      const faults = verdicts.flatMap((verdict) =>
        faultsOf(verdict).map((fault) => `swap ${verdict.scenario.record.id}: ${fault}`),
      );
      faults.push(...conservation(before, after, verdicts, await paymentsOf(ours.lnd)));
      const both = (one: Books) => one.lightningMsat + one.theirLightningMsat;
      if (both(before) !== both(after)) faults.push(`the channel holds ${both(after)} msat, and held ${both(before)}`);
      for (const wallet of ['ourChain', 'theirChain'] as const)
        if (before[wallet] !== after[wallet]) faults.push(`${wallet} is ${after[wallet]}, and was ${before[wallet]}`);
      return faults;
    },
    stop: () => lightning.stop(),
  };
}

/**
 * Whoever opened a channel pays its commitment fee, which changes with the number of its HTLCs: it is theirs all the
 * same.
 */
async function channelMsat({ lnd }: Lnd): Promise<{ own: bigint; inFlight: bigint }> {
  const balance = await getChannelBalance({ lnd });
  const { channels } = await getChannels({ lnd });
  const fees = channels
    .filter((channel) => channel.is_partner_initiated === false)
    .reduce((sum, channel) => sum + channel.commit_transaction_fee, 0);
  const pending = channels.reduce((sum, channel) => sum + channel.pending_payments.length, 0);
  return {
    own: BigInt(balance.channel_balance_mtokens ?? 0) + BigInt(fees) * 1_000n,
    inFlight: BigInt(balance.unsettled_balance_mtokens ?? 0) + BigInt(pending),
  };
}

async function chainSats({ lnd }: Lnd): Promise<bigint> {
  const [{ chain_balance }, { pending_chain_balance }] = [
    await getChainBalance({ lnd }),
    await getPendingChainBalance({ lnd }),
  ];
  return BigInt(chain_balance) + BigInt(pending_chain_balance);
}
