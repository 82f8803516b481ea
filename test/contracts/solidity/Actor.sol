// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A contract that does what a test tells it, at once or when control comes to it in the middle of somebody's call.
contract Actor {
    address public planned;
    bytes public plan;
    bool public refuses;
    bool public reached;
    bool public succeeded;
    bytes public answer;

    function act(address target, uint256 value, bytes calldata data) external payable {
        (bool done, bytes memory told) = target.call{value: value}(data);
        if (!done) {
            assembly {
                revert(add(told, 32), mload(told))
            }
        }
    }

    /// What to try when control comes the first time; the attempt never fails its caller.
    function prepare(address target, bytes calldata data) external {
        (planned, plan, reached) = (target, data, false);
    }

    function refuse(bool now_) external {
        refuses = now_;
    }

    /// Control comes by a call of a swap, or by a token's hook.
    function poke() public payable {
        if (planned == address(0) || reached) return;
        reached = true;
        (succeeded, answer) = planned.call(plan);
    }

    receive() external payable {
        require(!refuses, "refused");
        poke();
    }
}
