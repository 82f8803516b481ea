// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

struct UserOperation {
    address sender;
    uint256 nonce;
    bytes initCode;
    bytes callData;
    bytes32 accountGasLimits;
    uint256 preVerificationGas;
    bytes32 gasFees;
    bytes paymasterAndData;
    bytes signature;
}

struct Call {
    address target;
    uint256 value;
    bytes callData;
}

/// An account of ERC-4337 that signs as accounts with the code of Kernel 3.3 do: by one key, over a hash wrapped once
/// more, behind a byte that names the key.
contract Account {
    address public immutable entryPoint;
    address public immutable owner;

    constructor(address entryPoint_, address owner_) {
        (entryPoint, owner) = (entryPoint_, owner_);
    }

    function validateUserOp(UserOperation calldata operation, bytes32 hash, uint256 missing) external returns (uint256) {
        require(msg.sender == entryPoint, "not the entry point");
        (bool paid,) = msg.sender.call{value: missing}("");
        return paid && signed(hash, operation.signature) ? 0 : 1;
    }

    function execute(Call[] calldata calls) external {
        require(msg.sender == entryPoint, "not the entry point");
        for (uint256 i = 0; i < calls.length; i++) {
            (bool done, bytes memory told) = calls[i].target.call{value: calls[i].value}(calls[i].callData);
            if (done) continue;
            assembly {
                revert(add(told, 32), mload(told))
            }
        }
    }

    /// ERC-1271.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Kernel"),
                keccak256("0.3.3"),
                block.chainid,
                address(this)
            )
        );
        bytes32 wrapped = keccak256(abi.encode(keccak256("Kernel(bytes32 hash)"), hash));
        bool isOurs = signature.length == 66 && signature[0] == 0
            && signed(keccak256(abi.encodePacked("\x19\x01", domain, wrapped)), signature[1:]);
        return isOurs ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    function signed(bytes32 hash, bytes calldata signature) private view returns (bool) {
        address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        return signer == owner;
    }

    receive() external payable {}
}
