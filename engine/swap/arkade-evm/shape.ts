import { z } from 'zod';
import type { TokenAmount } from '../../domain/money.ts';
import { vhtlcTerms } from '../../legs/arkade/shape.ts';
import { evmAddress, evmNetworkName, lockTerms, swapContracts } from '../../legs/evm/shape.ts';
import { bytes, exactly, outpoint, publicKey, sats, sha256, shapeOf, timeoutPolicy, unix } from '../../legs/shape.ts';
import { sourceFields as source } from '../vhtlc-source/shape.ts';
import type { RecordToken } from '../evm-record.ts';
import type { ArkadeEvmProgress, ArkadeEvmTerms, Shallow } from './terms.ts';

const token = exactly<RecordToken>()(
  z.strictObject({ address: evmAddress, decimals: z.number(), symbol: z.string(), name: z.string() }),
);

const terms = exactly<ArkadeEvmTerms>()(
  z.strictObject({
    hash: sha256,
    sourceAmount: sats,
    feeSats: sats,
    networkFeeSats: sats,
    vhtlc: vhtlcTerms,
    script: bytes,
    keyIndex: z.number(),
    toleranceBps: z.number(),
    fundBefore: unix,
    minCoinExpiry: unix,
    address: z.string(),
    serverKey: publicKey,
    clientKeyText: z.string(),
    targetSats: sats,
    network: evmNetworkName,
    contracts: swapContracts,
    lock: lockTerms,
    pegged: token,
    target: token,
    targetAmount: z.custom<TokenAmount>((value) => typeof value === 'bigint' && value >= 0n),
    floor: z.bigint(),
    targetAddress: evmAddress,
    onward: z
      .strictObject({ chain: z.string(), usdc: z.string(), domain: z.number(), recipient: bytes, fee: z.bigint() })
      .exactOptional(),
    gasless: z.boolean(),
    lockBefore: unix,
    since: z.number(),
    burial: z.number(),
    policy: timeoutPolicy,
  }),
);

const txid = z.string();
const doubt = z.strictObject({ since: unix, coin: outpoint, surplus: sats });
const halted = { halted: unix.exactOptional() };
const relay = z.strictObject({ txid: txid.nullable(), taken: txid.exactOptional(), by: txid.exactOptional() });
const locked = { ...source.funded, sent: txid.nullable(), fundTxid: txid };
const attempts = { reverts: z.number(), refusal: z.string().exactOptional() };
const claimable = { ...locked, ...attempts };
const redeemed = { ...locked, redeemTxid: txid, relay: relay.nullable() };
const returned = { fundTxid: txid, returnTxid: txid };
const shallow = exactly<Shallow>()(
  z.strictObject({ ...attempts, ...halted, missing: unix.exactOptional(), flagged: z.literal(true).exactOptional() }),
);
const { why: _, ...left } = source.stopped;

function at<N extends ArkadeEvmProgress['at']>(name: N) {
  return { at: z.literal(name) };
}

const progress = exactly<ArkadeEvmProgress>()(
  z.discriminatedUnion('at', [
    z.strictObject({ ...at('pending'), ...source.pending }),
    z.strictObject({ ...at('funded'), ...source.funded, ...halted }),
    z.strictObject({ ...at('locking'), ...source.funded, sent: txid }),
    z.strictObject({ ...at('locked'), ...claimable }),
    z.strictObject({ ...at('relaying'), ...claimable, relay, ...halted }),
    z.strictObject({ ...at('relayed'), ...claimable, relay }),
    z.strictObject({
      ...at('refunding'),
      ...locked,
      ...halted,
      refundTxid: txid.nullable(),
      relay: relay.nullable(),
      redeemTxid: txid.exactOptional(),
    }),
    z.strictObject({ ...at('claiming'), ...source.claiming, ...redeemed }),
    z.strictObject({ ...at('claimed'), ...source.claimed, ...redeemed, shallow: shallow.exactOptional() }),
    z.strictObject({ ...at('lost'), ...source.lost, ...redeemed }),
    z.strictObject({ ...at('returned'), ...left, ...returned }),
    z.strictObject({ ...at('stopped'), ...source.stopped, doubt: doubt.exactOptional() }),
    z.strictObject({ ...at('lapsed'), ...source.lapsed }),
    z.strictObject({ ...at('refunded'), ...source.refunded, returned: z.strictObject(returned).exactOptional() }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
