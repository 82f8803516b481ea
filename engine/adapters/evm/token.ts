import { bytesToHex, decodeFunctionResult, encodeFunctionData, hexToBytes, parseAbi } from 'viem/utils';
import type { TokenFacts } from '../../legs/evm/port.ts';
import { NoAnswer } from '../probe/answer.ts';

const abi = parseAbi([
  'function decimals() view returns (uint256)',
  'function symbol() view returns (string)',
  'function name() view returns (string)',
]);

/** More would not fit between an amount of tokens and satoshis in 256 bits. */
const mostDecimals = 36n;
const mostLetters = 64;

/** What a token says of itself. Names are a stranger's words: one line, cut to a length. */
export async function tokenBy(read: (data: Uint8Array) => Promise<Uint8Array>, address: string): Promise<TokenFacts> {
  const answer = (functionName: 'decimals' | 'symbol' | 'name') =>
    read(hexToBytes(encodeFunctionData({ abi, functionName })));
  const [decimals, symbol, name] = [await answer('decimals'), await answer('symbol'), await answer('name')];
  const count = decimals.length === 32 ? BigInt(bytesToHex(decimals)) : null;
  if (count === null || count > mostDecimals)
    throw new NoAnswer('not-it', `what stands at 0x${address} gives no number of decimals, so it is no token`);
  return { decimals: Number(count), symbol: textOf(symbol, 'symbol'), name: textOf(name, 'name') };
}

/** The oldest tokens have 32 bytes where later ones have a string. */
function textOf(answer: Uint8Array, functionName: 'symbol' | 'name'): string {
  const words =
    answer.length === 32
      ? new TextDecoder().decode(answer)
      : decodeFunctionResult({ abi, functionName, data: bytesToHex(answer) });
  return words
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, mostLetters);
}
