// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// An exchange that takes and gives exactly what its caller says, out of its own stock. The zero address is the coin.
contract Exchange {
    using SafeERC20 for IERC20;

    function swap(address tokenIn, uint256 amountIn, address tokenOut, uint256 amountOut, address to) external payable {
        if (tokenIn != address(0)) IERC20(tokenIn).safeTransferFrom(msg.sender, address(this), amountIn);
        if (tokenOut != address(0)) {
            IERC20(tokenOut).safeTransfer(to, amountOut);
        } else {
            (bool paid,) = to.call{value: amountOut}("");
            require(paid, "not paid");
        }
    }

    receive() external payable {}
}
