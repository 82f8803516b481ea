import { useState } from 'react';
import type { SandboxWorld } from '../../../engine/contract/sandbox.ts';
import { figureText, readUnits } from '../../format/amount.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useActing } from '../../stores/acting.ts';
import { client } from '../../stores/records.ts';
import { sandboxWords } from '../../words/sandbox-words.ts';

/** Blocks of Bitcoin, one after the other or again, and what room in them costs. */
export function Miners({ world: { bitcoin } }: { world: SandboxWorld }) {
  const { busy, outcome, run } = useActing();
  const [rate, setRate] = useState<string | null>(null);
  if (bitcoin === undefined) return null;
  const shownRate = rate ?? String(bitcoin.feeRate ?? '');
  const wrong = rate !== null && readUnits(rate, 0) === null;
  const mine = (blocks: number) =>
    run(`mine ${blocks}`, async () => {
      const { height } = await client().call('bitcoinMine', { body: { blocks } });
      return sandboxWords.mined(figureText(String(height), 0));
    });
  const replace = () =>
    run('replace', async () => {
      await client().call('bitcoinReorg', { body: { depth: 2 } });
      return sandboxWords.replaced;
    });
  const setFee = () =>
    run('fee', async () => {
      await client().call('bitcoinFees', { body: { sat_per_vb: Number(shownRate) } });
      setRate(null);
      return sandboxWords.feeSet(shownRate);
    });
  return (
    <section className="section" aria-labelledby="miners">
      <h2 id="miners">{sandboxWords.miners}</h2>
      <div className="row mt-3" role="group" aria-labelledby="miners">
        {[1, 6].map((blocks) => (
          <Button key={blocks} busy={busy === `mine ${blocks}`} onPress={() => void mine(blocks)}>
            {sandboxWords.mine(blocks)}
          </Button>
        ))}
        <Button busy={busy === 'replace'} onPress={() => void replace()}>
          {sandboxWords.replace}
        </Button>
      </div>
      <form
        className="mt-4 max-w-64"
        onSubmit={(event) => {
          event.preventDefault();
          if (!wrong) void setFee();
        }}
      >
        <Field label={sandboxWords.fee} error={wrong ? sandboxWords.notAnAmount : null}>
          {(tie) => (
            <div className="copyline">
              <input
                {...tie}
                className="in num"
                inputMode="numeric"
                value={shownRate}
                onChange={(event) => setRate(event.currentTarget.value)}
              />
              <Button submit busy={busy === 'fee'}>
                {sandboxWords.setFee}
              </Button>
            </div>
          )}
        </Field>
      </form>
      <Outcome outcome={outcome} />
    </section>
  );
}
