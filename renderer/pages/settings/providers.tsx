import { useState } from 'react';
import { hostOf } from '../../format/host.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useActing } from '../../stores/acting.ts';
import { client } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import { providerWords } from '../../words/providers.ts';
import { words } from '../../words/words.ts';
import { valueAt } from './form.ts';
import type { SettingsInForce } from './use-settings.ts';

/** With whom the owner swaps: an address is looked at before it is kept, and the list is sent as a whole. */
export function ProvidersInForce({ settings, change }: SettingsInForce) {
  const [address, setAddress] = useState('');
  const [checking, setChecking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { busy, outcome, run } = useActing();
  const listed = settings === null ? [] : valueAt(settings, ['taker', 'providers']);
  const urls = Array.isArray(listed) ? listed.map(String) : [];
  const keep = (providers: readonly string[]) => change({ taker: { providers } });
  const add = async () => {
    const url = address.trim().replace(/\/+$/, '');
    setChecking(true);
    const wrong = urls.includes(url) ? providerWords.already : await problemOf(url);
    setProblem(wrong);
    setChecking(false);
    if (wrong !== null) return;
    await run('add', async () => {
      await keep([...urls, url]);
      setAddress('');
      return providerWords.added(hostOf(url));
    });
  };
  const remove = (url: string) =>
    run(url, async () => {
      await keep(urls.filter((one) => one !== url));
      return providerWords.removed(hostOf(url));
    });
  return (
    <section aria-label={providerWords.title}>
      <h2>{providerWords.title}</h2>
      <p className="sub mb-4">{words.settings.providersLead}</p>
      {urls.length === 0 ? <p className="sub mb-4">{providerWords.none}</p> : null}
      <ul>
        {urls.map((url) => (
          <li key={url} className="row apart mb-2">
            <span className="mono min-w-0 break-all">{url}</span>
            <Button
              size="small"
              name={providerWords.remove(hostOf(url))}
              busy={busy === url}
              onPress={() => void remove(url)}
            >
              {providerWords.removeIt}
            </Button>
          </li>
        ))}
      </ul>
      <form
        className="stack mt-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (address.trim() !== '' && busy === null && !checking) void add();
        }}
      >
        <TextField
          label={providerWords.address}
          hint={providerWords.addressHint}
          value={address}
          error={problem}
          onText={(text) => {
            setAddress(text);
            setProblem(null);
          }}
          mono
          spellCheck={false}
          autoComplete="off"
        />
        <div className="row">
          <Button
            submit
            busy={checking || busy === 'add'}
            notYet={address.trim() === '' ? providerWords.addressFirst : null}
          >
            {providerWords.add}
          </Button>
        </div>
      </form>
      <Outcome outcome={outcome} />
    </section>
  );
}

/** Why an address is not added, in a sentence; null when a provider answers there. */
async function problemOf(url: string): Promise<string | null> {
  try {
    const { fault } = await client().call('checkProvider', { body: { provider_url: url } });
    return fault === null ? null : providerWords.fault[fault];
  } catch (error) {
    return troubleText(error);
  }
}
