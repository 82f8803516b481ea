import { bytesToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { ArkadeEvmRecord } from '../../engine/contract/directions/arkade-evm.ts';
import { isRefusal, type Refusal } from '../../engine/domain/errors.ts';
import { checksummed } from '../../engine/domain/evm-address.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { asPreimage, asPublicKey, type Preimage } from '../../engine/domain/hash.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { accountOf } from '../../engine/legs/evm/account.ts';
import { callsHash } from '../../engine/legs/evm/calls-hash.ts';
import { redeemDigest } from '../../engine/legs/evm/digests.ts';
import { partsOf } from '../../engine/legs/evm/signature.ts';
import { decodeArkadeAddress, outputScript } from '../../engine/legs/arkade/address.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import type { ArkadeEvmTerms } from '../../engine/swap/directions/arkade-evm.ts';
import type { Client } from './client.ts';
import type { EvmWorld } from './evm/world.ts';
import type { TestNode } from './node.ts';

/** Somebody who swaps from Arkade to the pegged token, by an account of its own. */
export interface ArkadeEvmClient {
  readonly account: Uint8Array;
  /** `from`: the address that the request comes from; as the owner when left out. */
  create(node: TestNode, amount: bigint, from?: string, as?: Uint8Array): Promise<ArkadeEvmRecord | Refusal>;
  /** Pays out of the wallet of `client`, whose keys anybody who reads the payment can tell. */
  pay(record: ArkadeEvmRecord, client: Client): Promise<void>;
  /** Has the claim relayed; the status that is answered. */
  claim(node: TestNode, id: string): Promise<string>;
}

let secrets = 0;

export function arkadeEvmClient(chain: EvmWorld, publicKey: string, seed: number): ArkadeEvmClient {
  const key = new Uint8Array(32).fill(seed);
  const account = accountOf(key);
  const token = asEvmAddress(fromHex((chain.endpoints.tokens[0]?.address ?? '').slice(2).toLowerCase()));
  const secretOf = new Map<string, Preimage>();

  return {
    account,
    async create(node, amount, from, as = account) {
      const bytes = new Uint8Array(32).fill(0xa5);
      new DataView(bytes.buffer).setUint32(0, ++secrets);
      const secret = asPreimage(bytes);
      const created = await node.service.create(
        'arkade-evm',
        {
          userId: publicKey,
          extraFeesBps: 0,
          referralCode: null,
          refundKey: { key: asPublicKey(fromHex(publicKey)), text: publicKey },
          hash: sha256Of(secret),
          evmChainId: 137,
          claimingAddress: asEvmAddress(as),
          claimingText: checksummed(asEvmAddress(as)),
          token,
          target: { is: 'evm', address: asEvmAddress(as) },
          amount: { pinned: 'source', amount: sats(amount) },
          gasless: true,
          bridge: null,
        },
        null,
        from,
      );
      if (!isRefusal(created)) secretOf.set(created.id, secret);
      return created;
    },
    async pay({ btc_vhtlc_address, source_amount }, { port }) {
      const address = decodeArkadeAddress(btc_vhtlc_address);
      if (address === null) throw new Error('the record names no address');
      const pay = {
        script: outputScript(address.outputKey),
        amount: sats(BigInt(source_amount)),
        minExpiry: unix(0),
        reserved: [],
      };
      const { bytes } = await port.prepareFund(pay);
      const answer = await port.submit(bytes);
      if (answer.is !== 'accepted') throw new Error(`the operator says ${answer.is}`);
      await port.finalize(answer.bytes);
    },
    async claim(node, id) {
      const { lock, network, contracts, floor } = node.runtime.workingSet.find(id)?.row.terms as ArkadeEvmTerms;
      const secret = secretOf.get(id);
      if (secret === undefined) throw new Error('it is not a swap of this client');
      const destination = asEvmAddress(account);
      const payout = { destination, sweepToken: token, minAmountOut: floor, callsHash: callsHash([]) };
      const chainId = Number(network.slice('evm:'.length));
      const digest = redeemDigest({ chainId, contracts }, { lock, preimage: secret, ...payout });
      const signed = await privateKeyToAccount(bytesToHex(key)).sign({ hash: bytesToHex(digest) });
      const signature = partsOf(fromHex(signed.slice(2)));
      if (signature === null) throw new Error('there is no signature');
      const request = { secret, destination, bridgeRecipient: null, bridgeRecipientWallet: null, dexCall: null };
      const claimed = await node.service.claimGasless(id, { ...request, signature });
      if (isRefusal(claimed)) throw new Error(claimed.sentence);
      return claimed.status;
    },
  };
}
