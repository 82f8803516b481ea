import { parseAbi } from 'viem/utils';

/*
 * What our account calls (facts/evm.md 23), as one table for each contract. A word wrong here is another selector, or
 * the right one with its words in another order, which a contract takes for a lock that does not exist.
 */

export const htlcErc20 = parseAbi([
  'function create(bytes32 preimageHash, uint256 amount, address token, address claimAddress, uint256 timelock)',
  'function redeem(bytes32 preimage, uint256 amount, address token, address sender, uint256 timelock)',
  'function refund(bytes32 preimageHash, uint256 amount, address token, address claimAddress, uint256 timelock)',
]);

export const htlcNative = parseAbi([
  'function create(bytes32 preimageHash, address claimAddress, uint256 timelock) payable',
  'function redeem(bytes32 preimage, uint256 amount, address sender, uint256 timelock)',
  'function refund(bytes32 preimageHash, uint256 amount, address claimAddress, uint256 timelock)',
]);

const call = 'struct Call { address target; uint256 value; bytes callData; }';

export const coordinatorErc20 = parseAbi([
  call,
  'struct TokenPermissions { address token; uint256 amount; }',
  'struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }',
  'function executeAndCreateWithPermit2(Call[] calls, bytes32 preimageHash, address token, address claimAddress, uint256 timelock, address depositor, PermitTransferFrom permit, bytes signature)',
  'function redeemAndExecute(bytes32 preimage, uint256 amount, address token, address htlcSender, uint256 timelock, Call[] calls, address sweepToken, uint256 minAmountOut, address destination, uint8 v, bytes32 r, bytes32 s) payable',
  'function collabRefundAndExecute(bytes32 preimageHash, uint256 amount, address token, address claimAddress, uint256 timelock, Call[] calls, address sweepToken, uint256 minAmountOut, uint8 depositorV, bytes32 depositorR, bytes32 depositorS, uint8 claimV, bytes32 claimR, bytes32 claimS)',
]);

export const coordinatorNative = parseAbi([
  call,
  'function redeemAndExecute(bytes32 preimage, uint256 amount, address htlcSender, uint256 timelock, Call[] calls, address sweepToken, uint256 minAmountOut, address destination, uint8 v, bytes32 r, bytes32 s) payable',
]);

/** EIP-20 and EIP-2612. */
export const erc20 = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
]);

/** EIP-2612 as tokens have it whose owners are contracts: the signature as one. */
export const erc20OfContracts = parseAbi([
  'function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)',
]);

/** With what a call ends that a contract refuses. */
export const errors = parseAbi([
  'error SwapExists(bytes32 key, uint8 state)',
  'error SwapNotActive(bytes32 key, uint8 state)',
]);
