// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice The one function of Circle's TokenMessengerV2 that is used here.
interface ITokenMessengerV2 {
    function depositForBurnWithHook(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold,
        bytes calldata hookData
    ) external;
}

/// @title Sends the USDC that a swap's calls brought here on to another chain
/// @notice How much an exchange brings is not known when its calls are signed: it pays this contract, and the next call
/// sends all of it on. Nothing stays here between two calls; what somebody leaves here anybody may send wherever he likes.
contract CCTPBridgeAdapter {
    using SafeERC20 for IERC20;

    error NothingToBridge();
    error ZeroRecipient();
    error FeeTooHigh(uint256 maxFee, uint256 amount);
    error NotBurned();

    /// Final on this chain before anything is minted: the burn costs no fee of its own then.
    uint32 public constant FINALITY = 2000;

    IERC20 public immutable USDC;
    ITokenMessengerV2 public immutable MESSENGER;

    constructor(address usdc, address messenger) {
        USDC = IERC20(usdc);
        MESSENGER = ITokenMessengerV2(messenger);
    }

    /// @notice Burns all USDC that is here, to be minted for `recipient` in `domain`.
    /// @param recipient an address of another EVM chain with zeros before it, or 32 bytes of another kind of chain
    /// @param maxFee the most that may be kept of it for bringing it there, in smallest units
    /// @param hookData what asks Circle to bring it there
    function bridgeBalance(uint32 domain, bytes32 recipient, uint256 maxFee, bytes calldata hookData) external {
        uint256 amount = USDC.balanceOf(address(this));
        if (amount == 0) revert NothingToBridge();
        if (recipient == bytes32(0)) revert ZeroRecipient();
        if (maxFee >= amount) revert FeeTooHigh(maxFee, amount);
        USDC.forceApprove(address(MESSENGER), amount);
        MESSENGER.depositForBurnWithHook(
            amount, domain, recipient, address(USDC), bytes32(0), maxFee, FINALITY, hookData
        );
        if (USDC.balanceOf(address(this)) != 0) revert NotBurned();
    }
}
