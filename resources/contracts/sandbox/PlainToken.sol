// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token of the sandbox without EIP-2612, as WBTC is one
/// @notice All there will ever be belongs to one holder at first: the sandbox's faucet.
contract PlainToken is ERC20 {
    uint8 private immutable places;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, address holder, uint256 supply)
        ERC20(name_, symbol_)
    {
        places = decimals_;
        _mint(holder, supply);
    }

    function decimals() public view override returns (uint8) {
        return places;
    }
}
