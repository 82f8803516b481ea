// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title What both coordinators share: running a swap's calls, and sweeping what they brought
/// @dev Anybody can have a coordinator run any calls, by a swap of a worthless token of his own. So a coordinator may
/// have no power that a call could use: it holds nothing between transactions, keeps no allowance, is refused as a
/// spender of anybody's approval, and cannot reach the contracts that know it by its address. Who approves a
/// coordinator for a token gives that token away, whatever is refused here.
abstract contract CallExecutor is ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    struct Call {
        address target;
        uint256 value;
        bytes callData;
    }

    error CallFailed(uint256 index);
    error RestrictedTarget(address target);
    error DangerousSelector(bytes4 selector);
    error InsufficientBalance();
    error ZeroDestination();
    error EtherTransferFailed();
    error UnknownHtlc();
    error Unauthorized();

    /// Unwrapped coins and refunds of a call's fee come this way.
    receive() external payable {}

    /// What a client signs for its calls: no word of them can be changed by who submits them.
    function _hashOf(Call[] calldata calls) internal pure returns (bytes32) {
        return keccak256(abi.encode(calls));
    }

    /// Runs the calls in their order, all or none.
    /// @param htlc the contract whose locks name this coordinator as the one to be refunded: reached by a call it
    /// would refund everybody's expired locks to whoever sweeps. Permit2 takes this coordinator for the spender of
    /// every signature on its way to it: reached by a call it would hand the client's tokens to anybody.
    /// @param permit2 see `htlc`.
    function _execute(Call[] calldata calls, address htlc, address permit2) internal {
        for (uint256 i = 0; i < calls.length; i++) {
            Call calldata call = calls[i];
            address target = call.target;
            if (target == htlc || target == permit2 || target == address(this)) revert RestrictedTarget(target);
            if (_isDangerous(bytes4(call.callData))) revert DangerousSelector(bytes4(call.callData));
            // A call to an address without code succeeds and does nothing: a router misspelt would be a swap lost.
            if (call.callData.length > 0 && target.code.length == 0) revert CallFailed(i);
            (bool done,) = target.call{value: call.value}(call.callData);
            if (!done) revert CallFailed(i);
        }
        // An allowance left behind would be somebody else's to use in the middle of the next swap, and tokens that
        // refuse to change one that is not zero would refuse everybody's next approval.
        for (uint256 i = 0; i < calls.length; i++) {
            bytes calldata data = calls[i].callData;
            if (bytes4(data) == IERC20.approve.selector && data.length >= 36) {
                IERC20(calls[i].target).forceApprove(abi.decode(data[4:36], (address)), 0);
            }
        }
    }

    /// Pays all that is here of a token (zero: the native coin), at least `minAmountOut`, to the destination.
    /// @dev The floor is what the client signed against a price moved under its swap.
    function _sweep(address token, uint256 minAmountOut, address destination) internal {
        if (destination == address(0)) revert ZeroDestination();
        uint256 amount = token == address(0) ? address(this).balance : IERC20(token).balanceOf(address(this));
        if (amount < minAmountOut) revert InsufficientBalance();
        if (amount == 0) return;
        if (token == address(0)) _pay(destination, amount);
        else IERC20(token).safeTransfer(destination, amount);
    }

    function _pay(address to, uint256 amount) internal {
        (bool paid,) = to.call{value: amount}("");
        if (!paid) revert EtherTransferFailed();
    }

    /// Functions that move by an approval given to this coordinator, or that leave an allowance which is not an
    /// `approve` and so would not be taken back.
    function _isDangerous(bytes4 selector) private pure returns (bool) {
        return selector == 0x23b872dd // transferFrom(address,address,uint256)
            || selector == 0x42842e0e // safeTransferFrom(address,address,uint256)
            || selector == 0xb88d4fde // safeTransferFrom(address,address,uint256,bytes)
            || selector == 0xf242432a // safeTransferFrom(address,address,uint256,uint256,bytes)
            || selector == 0x2eb2c2d6 // safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)
            || selector == 0xd8fbe994 // transferFromAndCall(address,address,uint256)
            || selector == 0xc1d34b89 // transferFromAndCall(address,address,uint256,bytes)
            || selector == 0x39509351 // increaseAllowance(address,uint256)
            || selector == 0xd73dd623 // increaseApproval(address,uint256)
            || selector == 0x3177029f // approveAndCall(address,uint256)
            || selector == 0xcae9ca51 // approveAndCall(address,uint256,bytes)
            || selector == 0x959b8c3f; // authorizeOperator(address)
    }
}
