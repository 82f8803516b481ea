import { asEvmAddress } from '../../domain/evm.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import type { TokenTransfer } from '../../legs/evm/port.ts';
import { asAddress, asBytes, asCount, asFields, asHash } from './read.ts';

/** `Transfer(address,address,uint256)` (EIP-20). */
const transfer = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/**
 * A log as tokens that went from one account to another; null where it is another one. Tokens whose logs index the
 * amount too are collectibles.
 */
export function transferOf(value: unknown): TokenTransfer | null {
  const log = asFields(value, 'a log');
  if (!Array.isArray(log['topics']) || log['topics'].length !== 3) return null;
  const [name, from = '', to = ''] = log['topics'].map((topic) => asHash(topic, 'topic'));
  if (name !== transfer) return null;
  const amount = asBytes(log['data'], 'the data of a log');
  if (amount.length !== 32) return null;
  return {
    token: asAddress(log['address'], 'address of a log'),
    from: asEvmAddress(fromHex(from).slice(12)),
    to: asEvmAddress(fromHex(to).slice(12)),
    amount: BigInt(`0x${toHex(amount)}`),
    logIndex: asCount(log['logIndex'], 'the place of a log'),
  };
}
