// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {CallExecutor} from "./CallExecutor.sol";
import {HTLCNative} from "./HTLCNative.sol";

/// @title Coordinator of HTLCNative, version 1
/// @notice As `HTLCCoordinator`, for a chain's native coin: the depositor is the sender, for a coin cannot be taken by
/// signature, and what is locked is exactly the amount named.
contract HTLCNativeCoordinator is CallExecutor {
    uint8 public constant VERSION = 1;

    /// The canonical Permit2: not used here, and out of reach of calls all the same.
    address public constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;

    HTLCNative public immutable HTLC_NATIVE;

    /// Whose money the lock of a key is. It goes when the lock is refunded and stays when it is claimed.
    mapping(bytes32 key => address depositor) public deposits;

    /// The calls spent coins that came neither with them nor from them.
    error CallsOverspent();

    constructor(address htlcNative) {
        HTLC_NATIVE = HTLCNative(htlcNative);
    }

    /// @notice Runs the calls on the coins sent, locks exactly `amount` and gives the sender what is left.
    function executeAndCreate(
        Call[] calldata calls,
        bytes32 preimageHash,
        uint256 amount,
        address claimAddress,
        uint256 timelock
    ) external payable nonReentrant {
        uint256 before = address(this).balance - msg.value;
        _execute(calls, address(HTLC_NATIVE), PERMIT2);
        if (address(this).balance < before) revert CallsOverspent();
        uint256 available = address(this).balance - before;
        if (available < amount) revert InsufficientBalance();
        deposits[_keyOf(preimageHash, amount, claimAddress, timelock)] = msg.sender;
        HTLC_NATIVE.create{value: amount}(preimageHash, claimAddress, timelock);
        if (available > amount) _pay(msg.sender, available - amount);
    }

    /// @notice Claims a lock by its claimer's signature, runs the calls, and pays all of `sweepToken` (zero: the coin)
    /// to the destination. Anybody may submit it: all but the sender stands in the signature.
    function redeemAndExecute(
        bytes32 preimage,
        uint256 amount,
        address htlcSender,
        uint256 timelock,
        Call[] calldata calls,
        address sweepToken,
        uint256 minAmountOut,
        address destination,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external payable nonReentrant {
        uint256 before = address(this).balance - msg.value;
        HTLC_NATIVE.redeemBySig(
            preimage, amount, htlcSender, timelock, destination, sweepToken, minAmountOut, _hashOf(calls), v, r, s
        );
        _execute(calls, address(HTLC_NATIVE), PERMIT2);
        _sweepAll(before, sweepToken, minAmountOut, destination);
    }

    /// @notice Gives an expired lock back to its depositor, who is the sender, through calls of his choice.
    function refundAndExecute(
        bytes32 preimageHash,
        uint256 amount,
        address claimAddress,
        uint256 timelock,
        Call[] calldata calls,
        address sweepToken,
        uint256 minAmountOut
    ) external nonReentrant {
        address depositor = _takeDeposit(preimageHash, amount, claimAddress, timelock);
        if (msg.sender != depositor) revert Unauthorized();
        uint256 before = address(this).balance;
        HTLC_NATIVE.refund(preimageHash, amount, claimAddress, timelock);
        _execute(calls, address(HTLC_NATIVE), PERMIT2);
        _sweepAll(before, sweepToken, minAmountOut, depositor);
    }

    /// @notice Gives an expired lock back to its depositor, as it was locked. Anybody may submit it.
    function refundTo(bytes32 preimageHash, uint256 amount, address claimAddress, uint256 timelock)
        external
        nonReentrant
    {
        address depositor = _takeDeposit(preimageHash, amount, claimAddress, timelock);
        HTLC_NATIVE.refund(preimageHash, amount, claimAddress, timelock, depositor);
    }

    function _keyOf(bytes32 preimageHash, uint256 amount, address claimAddress, uint256 timelock)
        private
        view
        returns (bytes32)
    {
        return HTLC_NATIVE.computeKey(preimageHash, amount, address(0), address(this), claimAddress, timelock);
    }

    /// Whose lock it is, once: a lock that this coordinator did not make for somebody is nobody's to be given back.
    function _takeDeposit(bytes32 preimageHash, uint256 amount, address claimAddress, uint256 timelock)
        private
        returns (address depositor)
    {
        bytes32 key = _keyOf(preimageHash, amount, claimAddress, timelock);
        depositor = deposits[key];
        if (depositor == address(0)) revert UnknownHtlc();
        delete deposits[key];
    }

    /// What is wanted, above its floor, and the coins that the calls left of this swap's own.
    function _sweepAll(uint256 before, address sweepToken, uint256 minAmountOut, address destination) private {
        _sweep(sweepToken, minAmountOut, destination);
        if (address(this).balance > before) _pay(destination, address(this).balance - before);
    }
}
