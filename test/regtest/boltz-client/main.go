// A wallet over the published Go package of boltz-client, for tests: a line of JSON asks, a line of JSON answers.
package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/BoltzExchange/boltz-client/v2/pkg/boltz"
	"github.com/btcsuite/btcd/btcec/v2"
)

type swap struct {
	kind     boltz.SwapType
	key      *btcec.PrivateKey
	preimage []byte
	hash     []byte
	tree     *boltz.SwapTree
	address  string
	timeout  uint32
}

type wallet struct {
	api   *boltz.Api
	swaps map[string]*swap
}

type ask struct {
	Do          string `json:"do"`
	Id          string `json:"id"`
	Invoice     string `json:"invoice"`
	Hash        string `json:"hash"`
	Sats        uint64 `json:"sats"`
	To          string `json:"to"`
	Transaction string `json:"transaction"`
	Together    bool   `json:"together"`
}

type answer map[string]any

func main() {
	w := &wallet{api: &boltz.Api{URL: os.Args[1]}, swaps: map[string]*swap{}}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var one ask
		var said answer
		err := json.Unmarshal(lines.Bytes(), &one)
		if err == nil {
			said, err = w.do(one)
		}
		if err != nil {
			said = answer{"error": err.Error()}
		}
		if out.Encode(said) != nil {
			os.Exit(1)
		}
	}
}

func (w *wallet) do(one ask) (answer, error) {
	switch one.Do {
	case "submarine":
		return w.submarine(one.Invoice, one.Hash)
	case "reverse":
		return w.reverse(one.Sats)
	case "status":
		return w.status(one.Id)
	case "claim":
		return w.spend(one, boltz.ReverseSwap)
	case "refund":
		return w.spend(one, boltz.NormalSwap)
	case "sign":
		return w.sign(one.Id)
	}
	return nil, fmt.Errorf("%q is nothing that this wallet does", one.Do)
}

var bitcoin = boltz.Pair{From: boltz.CurrencyBtc, To: boltz.CurrencyBtc}

// Bitcoin to Lightning, judged as the package judges it before anything is paid.
func (w *wallet) submarine(invoice string, hash string) (answer, error) {
	pairs, err := w.api.GetSubmarinePairs()
	if err != nil {
		return nil, err
	}
	pair, err := boltz.FindPair(bitcoin, pairs)
	if err != nil {
		return nil, err
	}
	key, err := btcec.NewPrivateKey()
	if err != nil {
		return nil, err
	}
	made, err := w.api.CreateSwap(boltz.CreateSwapRequest{
		From:            bitcoin.From,
		To:              bitcoin.To,
		PairHash:        pair.Hash,
		RefundPublicKey: key.PubKey().SerializeCompressed(),
		Invoice:         invoice,
	})
	if err != nil {
		return nil, err
	}
	preimageHash, err := hex.DecodeString(hash)
	if err != nil {
		return nil, err
	}
	one := &swap{kind: boltz.NormalSwap, key: key, hash: preimageHash, address: made.Address, timeout: made.TimeoutBlockHeight}
	if err := one.judge(made.SwapTree, made.ClaimPublicKey, preimageHash); err != nil {
		return nil, err
	}
	w.swaps[made.Id] = one
	return answer{"id": made.Id, "address": made.Address, "sats": made.ExpectedAmount, "timeout": made.TimeoutBlockHeight}, nil
}

// Lightning to Bitcoin, judged in the same way.
func (w *wallet) reverse(sats uint64) (answer, error) {
	pairs, err := w.api.GetReversePairs()
	if err != nil {
		return nil, err
	}
	pair, err := boltz.FindPair(bitcoin, pairs)
	if err != nil {
		return nil, err
	}
	key, err := btcec.NewPrivateKey()
	if err != nil {
		return nil, err
	}
	preimage := make([]byte, 32)
	if _, err := rand.Read(preimage); err != nil {
		return nil, err
	}
	hash := sha256.Sum256(preimage)
	made, err := w.api.CreateReverseSwap(boltz.CreateReverseSwapRequest{
		From:           bitcoin.From,
		To:             bitcoin.To,
		PairHash:       pair.Hash,
		PreimageHash:   hash[:],
		ClaimPublicKey: key.PubKey().SerializeCompressed(),
		InvoiceAmount:  sats,
	})
	if err != nil {
		return nil, err
	}
	one := &swap{
		kind:     boltz.ReverseSwap,
		key:      key,
		preimage: preimage,
		address:  made.LockupAddress,
		timeout:  made.TimeoutBlockHeight,
	}
	if err := one.judge(made.SwapTree, made.RefundPublicKey, hash[:]); err != nil {
		return nil, err
	}
	w.swaps[made.Id] = one
	return answer{
		"id":      made.Id,
		"invoice": made.Invoice,
		"hash":    hex.EncodeToString(hash[:]),
		"address": made.LockupAddress,
		"sats":    made.OnchainAmount,
		"timeout": made.TimeoutBlockHeight,
	}, nil
}

// Both leaves are what they have to be, and the address is that of both keys and of them.
func (one *swap) judge(tree *boltz.SerializedTree, theirs []byte, hash []byte) error {
	if tree == nil {
		return errors.New("the answer has no swap tree")
	}
	key, err := btcec.ParsePubKey(theirs)
	if err != nil {
		return err
	}
	one.tree = tree.Deserialize()
	if err := one.tree.Init(boltz.CurrencyBtc, one.kind == boltz.ReverseSwap, one.key, key); err != nil {
		return err
	}
	if err := one.tree.Check(one.kind, one.timeout, hash); err != nil {
		return err
	}
	return one.tree.CheckAddress(one.address, boltz.Regtest, nil)
}

func (w *wallet) status(id string) (answer, error) {
	now, err := w.api.SwapStatus(id)
	if err != nil {
		return nil, err
	}
	return answer{"status": now.Status, "transaction": now.Transaction.Hex}, nil
}

// Claims or takes back what lies at the address of a swap, by the key of both or alone by the script, and sends that
// over the same interface.
func (w *wallet) spend(one ask, kind boltz.SwapType) (answer, error) {
	known := w.swaps[one.Id]
	if known == nil || known.kind != kind {
		return nil, errors.New("this wallet has no such swap")
	}
	lock, err := boltz.NewTxFromHex(boltz.CurrencyBtc, one.Transaction, nil)
	if err != nil {
		return nil, err
	}
	vout, _, err := lock.FindVout(boltz.Regtest, known.address)
	if err != nil {
		return nil, err
	}
	output := boltz.OutputDetails{
		LockupTransaction: lock,
		Vout:              vout,
		Address:           one.To,
		PrivateKey:        known.key,
		Preimage:          known.preimage,
		SwapTree:          known.tree,
		Cooperative:       one.Together,
		SwapId:            one.Id,
		SwapType:          kind,
	}
	if kind == boltz.NormalSwap {
		output.TimeoutBlockHeight = known.timeout
	}
	rate := 3.0
	made, results, err := boltz.ConstructTransaction(
		boltz.Regtest, boltz.CurrencyBtc, []boltz.OutputDetails{output}, boltz.Fee{SatsPerVbyte: &rate}, w.api,
	)
	if err != nil {
		return nil, err
	}
	if err := results[one.Id].Err; err != nil {
		return nil, err
	}
	raw, err := made.Serialize()
	if err != nil {
		return nil, err
	}
	txid, err := w.api.BroadcastTransaction(boltz.CurrencyBtc, raw)
	if err != nil {
		return nil, err
	}
	return answer{"txid": txid}, nil
}

// Signs the other side's claim of what lies at the address of a swap, once its invoice is shown to be paid.
func (w *wallet) sign(id string) (answer, error) {
	known := w.swaps[id]
	if known == nil || known.kind != boltz.NormalSwap {
		return nil, errors.New("this wallet has no such swap")
	}
	details, err := w.api.GetSwapClaimDetails(id)
	if err != nil {
		return nil, err
	}
	shown := sha256.Sum256(details.Preimage)
	if !bytes.Equal(shown[:], known.hash) {
		return nil, errors.New("the preimage opens another hash")
	}
	session, err := boltz.NewSigningSession(known.tree)
	if err != nil {
		return nil, err
	}
	partial, err := session.Sign(details.TransactionHash, details.PubNonce)
	if err != nil {
		return nil, err
	}
	return answer{}, w.api.SendSwapClaimSignature(id, partial)
}
