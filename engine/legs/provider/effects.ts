import { z } from 'zod';
import { takerDirections } from '../../domain/chain.ts';
import { vhtlcCoin } from '../arkade/shape.ts';
import { evmNetworkName, lockTerms, swapContracts, takerEvmKey } from '../evm/shape.ts';
import { takerClaim, takerFunding } from '../evm/taker-acts.ts';
import { musigHtlcTerms } from '../onchain/shape.ts';
import { onlyIf } from '../only-if-shape.ts';
import { bytes, effectShapes, keyRef, locktime, outpoint, sats, sha256, type EffectsOf } from '../shape.ts';

const order = z.strictObject({
  direction: z.enum(takerDirections),
  body: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  hash: sha256,
  /** Index of the taker's keys, at which a recovery begins to look. */
  keyIndex: z.number(),
});
/** What a taker sends to open a swap at a provider: the body of the create, already in its wire form. */
export type ProviderOrder = Readonly<z.infer<typeof order>>;

const provider = z.string();
const atProvider = { provider, swapId: z.string() };

/** A swap at a provider, and where its lock on an EVM chain is. */
const onEvm = { ...atProvider, network: evmNetworkName, contracts: swapContracts };

const effects = {
  /** Opens a swap at a provider. */
  'provider.create': { provider, order },
  /** Builds our half of a refund and asks the provider for the other one; sends nothing to the operator. */
  'provider.cosign': { ...atProvider, ...vhtlcCoin },
  /**
   * Asks the provider to spend a coin of an HTLC with us, to our own wallet: prepares, and sends nothing. `onlyIf`: of
   * a claim, judged before the provider is shown our secret by it. The rest is as in `htlc.spend`.
   */
  'provider.cosign-htlc': {
    ...atProvider,
    purpose: z.enum(['claim', 'refund']),
    terms: musigHtlcTerms,
    script: bytes,
    key: keyRef,
    coin: outpoint,
    funding: bytes.exactOptional(),
    leastRate: z.number(),
    deadline: locktime,
    onlyIf: onlyIf.exactOptional(),
  },
  /**
   * Signs the provider's claim of a coin of ours, by the key of both, once it shows the secret of a payee: gives our
   * partial signature, which closes every refund of the coin.
   */
  'provider.sign-claim': {
    ...atProvider,
    terms: musigHtlcTerms,
    key: keyRef,
    coin: outpoint,
    amount: sats,
  },
  /** Gives the provider our secret and our signature, for it to claim its lock for us. */
  'provider.claim-evm': { claim: z.strictObject(takerClaim), onlyIf, ...onEvm },
  /** Gives the provider our signature, for it to lock our tokens. */
  'provider.fund-evm': {
    funding: z.strictObject(takerFunding),
    /** What is saved by it, which bounds what the gas of an approval may cost that our account has to send first. */
    value: sats,
    ...onEvm,
  },
  /** Asks the provider to give our lock back before its timelock, with our signature. */
  'provider.refund-evm': { lock: lockTerms, key: takerEvmKey, ...onEvm },
};

/** What a taker's machine asks of a provider; `provider` is its base URL, empty for this very node. */
export type ProviderEffect = EffectsOf<typeof effects>;
export const providerShapes = effectShapes(effects);
