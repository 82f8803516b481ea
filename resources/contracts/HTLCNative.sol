// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SwapState} from "./SwapState.sol";

/// @title Hash time-locked contract for a chain's native coin, version 1
/// @notice As `HTLCErc20`, for the coin itself: the amount is what the create was sent, and the token in key and event
/// is the zero address. There is no refund before the timelock.
/// @dev Timelocks are unix seconds against `block.timestamp`; amounts are wei.
contract HTLCNative is EIP712, ReentrancyGuardTransient {
    uint8 public constant VERSION = 1;

    bytes32 public constant TYPEHASH_REDEEM = keccak256(
        "Redeem(bytes32 preimage,uint256 amount,address sender,uint256 timelock,address caller,"
        "address destination,address sweepToken,uint256 minAmountOut,bytes32 callsHash)"
    );

    /// What became of each key.
    mapping(bytes32 key => SwapState) public swaps;

    /// The preimage of each redeemed key: it can be read where old logs are gone.
    mapping(bytes32 key => bytes32) public preimages;

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
    error TokenMustBeZero();
    error TimelockTooSoon();
    error TimelockNotExpired();
    error SwapExists(bytes32 key, SwapState state);
    error SwapNotActive(bytes32 key, SwapState state);
    error EtherTransferFailed();

    constructor() EIP712("HTLCNative", "1") {}

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    /// @notice Locks the coins sent, to be refunded to the sender.
    function create(bytes32 preimageHash, address claimAddress, uint256 timelock) external payable nonReentrant {
        _create(preimageHash, msg.sender, claimAddress, timelock);
    }

    /// @notice Locks the coins sent, to be refunded to somebody else.
    function create(bytes32 preimageHash, address refundAddress, address claimAddress, uint256 timelock)
        external
        payable
        nonReentrant
    {
        _create(preimageHash, refundAddress, claimAddress, timelock);
    }

    /// @notice Pays the claim address, which is the sender. It may claim after the timelock too, until the refund.
    function redeem(bytes32 preimage, uint256 amount, address sender, uint256 timelock) external nonReentrant {
        _redeem(preimage, amount, sender, msg.sender, timelock);
    }

    /// @notice Pays the caller whom the claim address named in its signature, to carry out what it signed.
    /// @dev As in `HTLCErc20`: the signer recovered is the claim address of the key, `caller` is the sender.
    function redeemBySig(
        bytes32 preimage,
        uint256 amount,
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
        _redeem(preimage, amount, sender, claimAddress, timelock);
    }

    /// @notice Gives the lock back to its refund address, which is the sender, from the timelock on.
    function refund(bytes32 preimageHash, uint256 amount, address claimAddress, uint256 timelock)
        external
        nonReentrant
    {
        _refund(preimageHash, amount, claimAddress, timelock, msg.sender);
    }

    /// @notice The same, paid to `destination`.
    function refund(bytes32 preimageHash, uint256 amount, address claimAddress, uint256 timelock, address destination)
        external
        nonReentrant
    {
        if (destination == address(0)) revert ZeroRecipient();
        _refund(preimageHash, amount, claimAddress, timelock, destination);
    }

    /// State and, once redeemed, preimage of a key.
    function swapState(bytes32 key) external view returns (SwapState state, bytes32 preimage) {
        return (swaps[key], preimages[key]);
    }

    function isActive(
        bytes32 preimageHash,
        uint256 amount,
        address token,
        address sender,
        address claimAddress,
        uint256 timelock
    ) external view returns (bool) {
        return swaps[computeKey(preimageHash, amount, token, sender, claimAddress, timelock)] == SwapState.Active;
    }

    /// The key of a lock: the same six words as for a token, the token zero. Another token is a question about a lock
    /// that cannot be here, and answers with an error rather than with "not active".
    function computeKey(
        bytes32 preimageHash,
        uint256 amount,
        address token,
        address sender,
        address claimAddress,
        uint256 timelock
    ) public pure returns (bytes32) {
        if (token != address(0)) revert TokenMustBeZero();
        return keccak256(abi.encode(preimageHash, amount, token, sender, claimAddress, timelock));
    }

    function _create(bytes32 preimageHash, address refundAddress, address claimAddress, uint256 timelock) private {
        if (msg.value == 0) revert ZeroAmount();
        if (refundAddress == address(0)) revert ZeroRefundAddress();
        if (claimAddress == address(0)) revert ZeroClaimAddress();
        // A lock that is refundable at once would be funding that its sender takes back.
        if (timelock <= block.timestamp) revert TimelockTooSoon();
        bytes32 key = computeKey(preimageHash, msg.value, address(0), refundAddress, claimAddress, timelock);
        SwapState state = swaps[key];
        if (state != SwapState.None) revert SwapExists(key, state);
        swaps[key] = SwapState.Active;
        emit SwapCreated(preimageHash, refundAddress, claimAddress, address(0), msg.value, timelock, key);
    }

    function _redeem(bytes32 preimage, uint256 amount, address sender, address claimAddress, uint256 timelock)
        private
    {
        bytes32 preimageHash = sha256(abi.encodePacked(preimage));
        bytes32 key = computeKey(preimageHash, amount, address(0), sender, claimAddress, timelock);
        _settle(key, SwapState.Redeemed);
        preimages[key] = preimage;
        emit SwapRedeemed(preimageHash, key, preimage);
        _pay(msg.sender, amount);
    }

    function _refund(bytes32 preimageHash, uint256 amount, address claimAddress, uint256 timelock, address destination)
        private
    {
        if (block.timestamp < timelock) revert TimelockNotExpired();
        bytes32 key = computeKey(preimageHash, amount, address(0), msg.sender, claimAddress, timelock);
        _settle(key, SwapState.Refunded);
        emit SwapRefunded(preimageHash, key);
        _pay(destination, amount);
    }

    /// A lock is paid out once, and is spent before anything is paid.
    function _settle(bytes32 key, SwapState settled) private {
        SwapState state = swaps[key];
        if (state != SwapState.Active) revert SwapNotActive(key, state);
        swaps[key] = settled;
    }

    function _pay(address to, uint256 amount) private {
        (bool paid,) = to.call{value: amount}("");
        if (!paid) revert EtherTransferFailed();
    }
}
