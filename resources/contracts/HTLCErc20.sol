// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SwapState} from "./SwapState.sol";

/// @title Hash time-locked contract for ERC-20 tokens, version 4
/// @notice A lock pays its claim address against the preimage of a SHA-256 hash, or its refund address from the
/// timelock on. Nobody owns this contract, nothing in it can be changed, and it knows a lock only by its key: the hash
/// of all six terms. Who names one term wrongly names a lock that does not exist.
/// @dev Timelocks are unix seconds against `block.timestamp`; amounts are the token's smallest units.
contract HTLCErc20 is EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// The version of the signatures' domain. A client signs with the number that its swap's record names; with any
    /// other its signature recovers a stranger, and the key of a lock that does not exist.
    uint8 public constant VERSION = 4;

    bytes32 public constant TYPEHASH_REDEEM = keccak256(
        "Redeem(bytes32 preimage,uint256 amount,address token,address sender,uint256 timelock,address caller,"
        "address destination,address sweepToken,uint256 minAmountOut,bytes32 callsHash)"
    );

    bytes32 public constant TYPEHASH_REFUND = keccak256(
        "Refund(bytes32 preimageHash,uint256 amount,address token,address refundAddress,uint256 timelock,"
        "address caller,address destination,address sweepToken,uint256 minAmountOut)"
    );

    /// What became of each key.
    mapping(bytes32 key => SwapState) public swapState;

    event SwapCreated(
        bytes32 indexed preimageHash,
        address indexed refundAddress,
        address indexed claimAddress,
        address token,
        uint256 amount,
        uint256 timelock,
        bytes32 key
    );
    event SwapRedeemed(bytes32 indexed preimageHash, bytes32 indexed key, bytes32 preimage);
    event SwapRefunded(bytes32 indexed preimageHash, bytes32 indexed key);

    error ZeroAmount();
    error ZeroRefundAddress();
    error ZeroClaimAddress();
    error ZeroRecipient();
    error TimelockTooSoon();
    error TimelockNotExpired();
    error SwapExists(bytes32 key, SwapState state);
    error SwapNotActive(bytes32 key, SwapState state);
    /// The token moved another amount than it was asked to.
    error AmountMismatch(uint256 received, uint256 amount);
    /// Only the refund address may use the claimer's consent to a refund.
    error NotRefundAddress();

    constructor() EIP712("HTLCErc20", "4") {}

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    /// @notice Locks tokens of the sender, who is also the one to be refunded.
    function create(bytes32 preimageHash, uint256 amount, address token, address claimAddress, uint256 timelock)
        external
        nonReentrant
    {
        _create(preimageHash, amount, token, msg.sender, claimAddress, timelock);
    }

    /// @notice Locks tokens of the sender, to be refunded to somebody else.
    function create(
        bytes32 preimageHash,
        uint256 amount,
        address token,
        address refundAddress,
        address claimAddress,
        uint256 timelock
    ) external nonReentrant {
        _create(preimageHash, amount, token, refundAddress, claimAddress, timelock);
    }

    /// @notice Pays the claim address, which is the sender. It may claim after the timelock too, until the refund.
    /// @dev The claim address stands in the key: who copies the preimage out of the queue names another key.
    function redeem(bytes32 preimage, uint256 amount, address token, address sender, uint256 timelock)
        external
        nonReentrant
    {
        _redeem(preimage, amount, token, sender, msg.sender, timelock);
    }

    /// @notice Pays the caller whom the claim address named in its signature, to carry out what it signed.
    /// @dev No signer is given: the one that the signature recovers is the claim address of the key. `caller` is the
    /// sender, so that nobody but the named coordinator is paid; what the coordinator does then (destination, token
    /// swept, floor, calls) stands in the same signature. Without one of these the relayer could take the money.
    function redeemBySig(
        bytes32 preimage,
        uint256 amount,
        address token,
        address sender,
        uint256 timelock,
        address destination,
        address sweepToken,
        uint256 minAmountOut,
        bytes32 callsHash,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant returns (address claimAddress) {
        bytes32 structHash = keccak256(
            abi.encode(
                TYPEHASH_REDEEM,
                preimage,
                amount,
                token,
                sender,
                timelock,
                msg.sender,
                destination,
                sweepToken,
                minAmountOut,
                callsHash
            )
        );
        claimAddress = ECDSA.recover(_hashTypedDataV4(structHash), v, r, s);
        _redeem(preimage, amount, token, sender, claimAddress, timelock);
    }

    /// @notice Gives the lock back to its refund address, which is the sender, from the timelock on.
    function refund(bytes32 preimageHash, uint256 amount, address token, address claimAddress, uint256 timelock)
        external
        nonReentrant
    {
        _refundAfterTimelock(preimageHash, amount, token, claimAddress, timelock, msg.sender);
    }

    /// @notice The same, paid to `destination`.
    function refund(
        bytes32 preimageHash,
        uint256 amount,
        address token,
        address claimAddress,
        uint256 timelock,
        address destination
    ) external nonReentrant {
        if (destination == address(0)) revert ZeroRecipient();
        _refundAfterTimelock(preimageHash, amount, token, claimAddress, timelock, destination);
    }

    /// @notice Gives the lock back before its timelock, with the claim address's consent.
    /// @dev Both sides agree here: the claimer by signature, the refund address by being the sender. Without the
    /// second the claimer could name itself as caller and take the lock without a preimage.
    function refundBySig(
        bytes32 preimageHash,
        uint256 amount,
        address token,
        address refundAddress,
        uint256 timelock,
        address destination,
        address sweepToken,
        uint256 minAmountOut,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant returns (address claimAddress) {
        if (msg.sender != refundAddress) revert NotRefundAddress();
        bytes32 structHash = keccak256(
            abi.encode(
                TYPEHASH_REFUND,
                preimageHash,
                amount,
                token,
                refundAddress,
                timelock,
                msg.sender,
                destination,
                sweepToken,
                minAmountOut
            )
        );
        claimAddress = ECDSA.recover(_hashTypedDataV4(structHash), v, r, s);
        _refund(preimageHash, amount, token, refundAddress, claimAddress, timelock, msg.sender);
    }

    /// Whether the lock of this key is there to be claimed or refunded.
    function swaps(bytes32 key) external view returns (bool) {
        return swapState[key] == SwapState.Active;
    }

    function isActive(
        bytes32 preimageHash,
        uint256 amount,
        address token,
        address sender,
        address claimAddress,
        uint256 timelock
    ) external view returns (bool) {
        return swapState[computeKey(preimageHash, amount, token, sender, claimAddress, timelock)] == SwapState.Active;
    }

    /// The key of a lock: all six terms. A term left out here could be chosen by whoever claims or refunds.
    function computeKey(
        bytes32 preimageHash,
        uint256 amount,
        address token,
        address sender,
        address claimAddress,
        uint256 timelock
    ) public pure returns (bytes32) {
        return keccak256(abi.encode(preimageHash, amount, token, sender, claimAddress, timelock));
    }

    function _create(
        bytes32 preimageHash,
        uint256 amount,
        address token,
        address refundAddress,
        address claimAddress,
        uint256 timelock
    ) private {
        if (amount == 0) revert ZeroAmount();
        if (refundAddress == address(0)) revert ZeroRefundAddress();
        if (claimAddress == address(0)) revert ZeroClaimAddress();
        // A lock that is refundable at once would be funding that its sender takes back.
        if (timelock <= block.timestamp) revert TimelockTooSoon();
        bytes32 key = computeKey(preimageHash, amount, token, refundAddress, claimAddress, timelock);
        SwapState state = swapState[key];
        if (state != SwapState.None) revert SwapExists(key, state);
        swapState[key] = SwapState.Active;
        emit SwapCreated(preimageHash, refundAddress, claimAddress, token, amount, timelock, key);
        // A token that takes a fee would have the last claimer of this token paid by nobody.
        uint256 before = IERC20(token).balanceOf(address(this));
        IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        uint256 received = IERC20(token).balanceOf(address(this)) - before;
        if (received != amount) revert AmountMismatch(received, amount);
    }

    function _redeem(
        bytes32 preimage,
        uint256 amount,
        address token,
        address sender,
        address claimAddress,
        uint256 timelock
    ) private {
        bytes32 preimageHash = sha256(abi.encodePacked(preimage));
        bytes32 key = computeKey(preimageHash, amount, token, sender, claimAddress, timelock);
        _settle(key, SwapState.Redeemed);
        emit SwapRedeemed(preimageHash, key, preimage);
        IERC20(token).safeTransfer(msg.sender, amount);
    }

    function _refundAfterTimelock(
        bytes32 preimageHash,
        uint256 amount,
        address token,
        address claimAddress,
        uint256 timelock,
        address destination
    ) private {
        if (block.timestamp < timelock) revert TimelockNotExpired();
        _refund(preimageHash, amount, token, msg.sender, claimAddress, timelock, destination);
    }

    function _refund(
        bytes32 preimageHash,
        uint256 amount,
        address token,
        address refundAddress,
        address claimAddress,
        uint256 timelock,
        address destination
    ) private {
        bytes32 key = computeKey(preimageHash, amount, token, refundAddress, claimAddress, timelock);
        _settle(key, SwapState.Refunded);
        emit SwapRefunded(preimageHash, key);
        IERC20(token).safeTransfer(destination, amount);
    }

    /// A lock is paid out once, and is spent before anything is paid.
    function _settle(bytes32 key, SwapState settled) private {
        SwapState state = swapState[key];
        if (state != SwapState.Active) revert SwapNotActive(key, state);
        swapState[key] = settled;
    }
}
