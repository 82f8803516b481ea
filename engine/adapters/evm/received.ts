import type { EvmAddress } from '../../domain/evm.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { asAddress, asBytes, asFields, asHash, type Fields } from './read.ts';
import { logsOf, minedReceipt } from './receipts.ts';
import type { Source, Sources } from './sources.ts';

/** `Transfer(address,address,uint256)` (EIP-20). */
const transfer = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** What a transaction brought of a token to an account, by one RPC; null where it has not mined it. */
export async function receivedBy(
  sources: Sources,
  source: Source,
  txid: Txid,
  { token, to }: { readonly token: EvmAddress; readonly to: EvmAddress },
): Promise<bigint | null> {
  const receipt = await minedReceipt(sources, source, txid);
  if (receipt === null) return null;
  return logsOf(receipt).reduce<bigint>(
    (sum, log) => sum + broughtBy(asFields(log, 'a log'), toHex(token), toHex(to)),
    0n,
  );
}

/** Tokens whose logs index the amount too are collectibles. */
function broughtBy(log: Fields, token: string, to: string): bigint {
  if (!Array.isArray(log['topics']) || log['topics'].length !== 3) return 0n;
  if (toHex(asAddress(log['address'], 'address of a log')) !== token) return 0n;
  const [name, , payee = ''] = log['topics'].map((topic) => asHash(topic, 'topic'));
  const amount = asBytes(log['data'], 'the data of a log');
  if (name !== transfer || amount.length !== 32 || toHex(fromHex(payee).subarray(12)) !== to) return 0n;
  return BigInt(`0x${toHex(amount)}`);
}
