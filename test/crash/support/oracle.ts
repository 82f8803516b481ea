import { authenticatedLndGrpc, getChannelBalance, getPayments, type AuthenticatedLnd } from 'ln-service';
import { connectLnd } from '../../../engine/adapters/lnd/connect.ts';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
import type { SandboxEndpoints } from '../../../engine/sandbox/endpoints.ts';
import { openBitcoinOracle, type BitcoinOracle } from './bitcoin-oracle.ts';
import { readBitcoin } from './bitcoin-reader.ts';
import { openEvmOracle, type EvmOracle } from './evm-oracle.ts';
import { evmConservation, movedBy, type Holdings } from './evm-verdict.ts';
import type { Scenario } from './scenario.ts';
import { conservation, type Balances, type Paid, type Verdict } from './verdict.ts';
import { hasVhtlc, type Wallet } from './wallet.ts';

/** Everything that the node and the contracts hold, on every network. */
export interface Books extends Balances {
  readonly evm: Holdings;
}

export interface Oracle {
  readonly evm: EvmOracle;
  readonly bitcoin: BitcoinOracle;
  balances(): Promise<Books>;
  judge(scenario: Scenario): Promise<Verdict>;
  /** What the swaps do not explain of everything that moved. */
  unexplained(before: Books, verdicts: readonly Verdict[]): Promise<string[]>;
  stop(): Promise<void>;
}

export function openOracle(endpoints: SandboxEndpoints, wallet: Wallet, nodeScript: Uint8Array): Oracle {
  const { socket, cert, macaroon, adminMacaroon } = endpoints.lnd;
  const lightning = connectLnd({
    socket,
    cert: Buffer.from(cert, 'base64'),
    macaroon: Buffer.from(macaroon, 'hex'),
    network: 'regtest',
  });
  const { lnd } = authenticatedLndGrpc({ socket, cert, macaroon: adminMacaroon });
  const evm = openEvmOracle(endpoints);
  const bitcoin = openBitcoinOracle(readBitcoin(endpoints.bitcoin.esploraUrl));

  async function balances(): Promise<Books> {
    const channels = await getChannelBalance({ lnd });
    return {
      lightningMsat: BigInt(channels.channel_balance_mtokens ?? 0),
      unsettledMsat: BigInt(channels.unsettled_balance_mtokens ?? 0),
      arkade: await wallet.balance(nodeScript),
      client: await wallet.balance(wallet.script),
      evm: await evm.holdings(),
    };
  }

  return {
    evm,
    bitcoin,
    balances,
    async judge(scenario) {
      const { direction, record } = scenario;
      const hash = asSha256(fromHex(scenario.hash));
      const coins = hasVhtlc(record) ? await wallet.fates(record) : [];
      const leg = await evm.legOf(scenario);
      const onBitcoin = await bitcoin.legOf(record);
      return {
        direction,
        scenario,
        coins,
        hold: direction.startsWith('lightning-') ? (await lightning.hold(hash)).is : null,
        payment: direction.endsWith('-lightning') ? await lightning.payment(hash) : null,
        ...(leg === undefined ? {} : { evm: leg }),
        ...(onBitcoin === undefined ? {} : { bitcoin: onBitcoin }),
      };
    },
    async unexplained(before, verdicts) {
      const now = await balances();
      const moves = verdicts.flatMap(({ scenario: { record }, evm: leg }) =>
        'evm_chain_id' in record && leg !== undefined ? movedBy(record, leg) : [],
      );
      return [
        ...conservation(before, now, verdicts, await paymentsOf(lnd)),
        ...evmConservation(before.evm, now.evm, moves),
        ...(await evm.faults()),
      ];
    },
    async stop() {
      await lightning.stop();
      for (const client of Object.values(lnd) as { close?(): void }[]) client.close?.();
    },
  };
}

export async function paymentsOf(lnd: AuthenticatedLnd): Promise<Paid> {
  const made = new Map<string, { count: number; msat: bigint }>();
  for (let token: string | undefined; ;) {
    const page = await getPayments({ lnd, ...(token === undefined ? { limit: 500 } : { token }) });
    for (const payment of page.payments) {
      if (!payment.is_confirmed) continue;
      const before = made.get(payment.id) ?? { count: 0, msat: 0n };
      made.set(payment.id, {
        count: before.count + 1,
        msat: before.msat + BigInt(payment.mtokens) + BigInt(payment.fee_mtokens ?? 0),
      });
    }
    token = page.next;
    if (token === undefined) return made;
  }
}
