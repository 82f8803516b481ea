// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Stands in for TokenMessengerV2: keeps what it is called with, to the byte, takes the token, and tells of it as the real one does.
contract Messenger {
    using SafeERC20 for IERC20;

    event DepositForBurn(
        address indexed burnToken,
        uint256 amount,
        address indexed depositor,
        bytes32 mintRecipient,
        uint32 destinationDomain,
        bytes32 destinationTokenMessenger,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 indexed minFinalityThreshold,
        bytes hookData
    );

    /// What it leaves behind of each amount.
    uint256 public left;
    bytes public received;

    function leave(uint256 amount) external {
        left = amount;
    }

    function depositForBurnWithHook(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold,
        bytes calldata hookData
    ) external {
        require(hookData.length > 0, "Hook data is empty");
        require(maxFee < amount, "Max fee must be less than amount");
        received = msg.data;
        IERC20(burnToken).safeTransferFrom(msg.sender, address(this), amount - left);
        emit DepositForBurn(
            burnToken,
            amount,
            msg.sender,
            mintRecipient,
            destinationDomain,
            bytes32(0),
            destinationCaller,
            maxFee,
            minFinalityThreshold,
            hookData
        );
    }
}
