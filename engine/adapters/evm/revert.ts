import type { Abi } from 'viem';
import { bytesToHex, decodeErrorResult, hexToBytes, isHex, parseAbi } from 'viem/utils';
import htlcErc20 from '../../../resources/contracts/compiled/HTLCErc20.json' with { type: 'json' };
import htlcCoordinator from '../../../resources/contracts/compiled/HTLCCoordinator.json' with { type: 'json' };
import htlcNative from '../../../resources/contracts/compiled/HTLCNative.json' with { type: 'json' };
import htlcNativeCoordinator from '../../../resources/contracts/compiled/HTLCNativeCoordinator.json' with { type: 'json' };
import { cutWords, mostLooked } from '../../domain/words.ts';
import type { Simulation } from '../../legs/evm/port.ts';

/** The error of an RPC, as it came. */
interface Failure {
  readonly code: number;
  readonly words: string;
  readonly data: unknown;
}

type Reverted = Omit<Extract<Simulation, { is: 'reverts' }>, 'is'>;

/** Errors of what our contracts call: tokens of OpenZeppelin's (EIP-6093), EIP-2612, and Permit2. */
const ofOthers = parseAbi([
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC2612ExpiredSignature(uint256 deadline)',
  'error ERC2612InvalidSigner(address signer, address owner)',
  'error SignatureExpired(uint256 signatureDeadline)',
  'error InvalidNonce()',
  'error InvalidAmount(uint256 maxAmount)',
  'error InvalidSigner()',
  'error InvalidSignature()',
  'error InvalidSignatureLength()',
  'error InvalidContractSignature()',
]);

const errors: Abi = [
  ...[htlcErc20, htlcCoordinator, htlcNative, htlcNativeCoordinator].flatMap(({ abi }) =>
    (abi as unknown as Abi).filter(({ type }) => type === 'error'),
  ),
  ...ofOthers,
];

/** What nodes answer for a call that fails on the chain itself, and not in the node: with data or only in words. */
const failsInWords =
  /revert|vm exception|vm execution error|invalid opcode|invalid jump|out of gas|stack (under|over)flow|insufficient (funds|balance)|gas required exceeds/i;
/** The code of a revert with data (geth, anvil and others). */
const revertCode = 3;
const mostWords = 200;

/** Whether the error is about the call, whose contract chooses its words, and says nothing about the node. */
export function isRevert({ code, words }: Pick<Failure, 'code' | 'words'>): boolean {
  return code === revertCode || failsInWords.test(words);
}

/** Why the call reverts; null where the error says nothing about the call. */
export function revertOf(error: Failure): Reverted | null {
  if (!isRevert(error)) return null;
  const bytes = dataIn(error) ?? new Uint8Array();
  return { data: bytes, reason: reasonOf(bytes) ?? plain(error.words) };
}

/** Some nodes wrap the data in an object, some put words in front. */
function dataIn({ data }: Failure): Uint8Array | null {
  const inner = typeof data === 'object' && data !== null ? (data as { data?: unknown }).data : data;
  const text = typeof inner === 'string' ? inner.replace(/^Reverted /, '') : null;
  return text === null || !isHex(text) || text.length % 2 !== 0 ? null : hexToBytes(text);
}

/** The words of revert data, null where there are none: a contract that nobody knows may give any bytes. */
function reasonOf(data: Uint8Array): string | null {
  if (data.length < 4) return null;
  try {
    const { errorName, args } = decodeErrorResult({ abi: errors, data: bytesToHex(data) });
    const values = (args ?? []).map(String);
    if (errorName === 'Error') return plain(values.join());
    return plain(errorName === 'Panic' ? `panic ${values.join()}` : `${errorName}(${values.join(', ')})`);
  } catch {
    return `an error that is not known, ${bytesToHex(data.subarray(0, 4))}`;
  }
}

/** One line, of a length that fits into a sentence: these are a stranger's words. */
function plain(words: string): string {
  const line = cutWords(words, mostLooked)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line === '' ? 'it reverts without a word' : line.slice(0, mostWords);
}
