// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {Actor} from "./Actor.sol";

/// A token that behaves, with EIP-2612.
contract TestToken is ERC20Permit {
    uint8 private immutable places;

    constructor(string memory symbol, uint8 decimals_) ERC20(symbol, symbol) ERC20Permit(symbol) {
        places = decimals_;
    }

    function decimals() public view override returns (uint8) {
        return places;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// A token that keeps one hundredth of every transfer.
contract FeeToken is TestToken {
    constructor() TestToken("FEE", 8) {}

    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0) || to == address(0)) return super._update(from, to, value);
        super._update(from, address(0), value / 100);
        super._update(from, to, value - value / 100);
    }
}

/// A token that tells somebody in the middle of every transfer.
contract HookToken is TestToken {
    Actor public told;

    constructor() TestToken("HOOK", 8) {}

    function tell(Actor who) external {
        told = who;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (address(told) != address(0)) told.poke();
    }
}

/// A token that answers "false" instead of failing, as long as it is told to move nothing.
contract FalseToken is TestToken {
    bool public dead;

    constructor() TestToken("FALSE", 8) {}

    function die(bool now_) external {
        dead = now_;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        return dead ? false : super.transfer(to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        return dead ? false : super.transferFrom(from, to, value);
    }
}

/// A token in the manner of Tether's: it returns nothing, and changes no allowance that is not zero.
contract SilentToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 value) external {
        require(value == 0 || allowance[msg.sender][spender] == 0, "allowance is not zero");
        allowance[msg.sender][spender] = value;
    }

    function transfer(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
    }

    function transferFrom(address from, address to, uint256 value) external {
        allowance[from][msg.sender] -= value;
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }
}
