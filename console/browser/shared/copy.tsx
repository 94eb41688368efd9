import { useState } from 'preact/hooks';
import type { FeedState } from './server-connection';

/** Stands where a document will be. */
export function Reading({ state, what }: { readonly state: FeedState<unknown>; readonly what: string }) {
  if (state.problem) return <p class="problem">{state.problem.says}</p>;
  return (
    <p class="reading" role="status">
      Reading {what} …
    </p>
  );
}

/** How long the button says that it copied. */
const SAID_MS = 2_000;

export function Copyable({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [state, setState] = useState<'copied' | 'failed'>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      // The browser does not let the page write: the user selects the text.
      setState('failed');
    }
    setTimeout(() => setState(undefined), SAID_MS);
  };
  return (
    <div class="copyable">
      <pre>
        <code>{text}</code>
      </pre>
      <button type="button" onClick={copy} aria-label={`${label}: ${text.slice(0, 60)}`}>
        <span role="status">{state === 'copied' ? 'Copied' : state === 'failed' ? 'Select it' : label}</span>
      </button>
    </div>
  );
}

/** Advice of which lines after the first are commands. */
export function Advice({ texts }: { readonly texts: readonly string[] }) {
  return (
    <>
      {texts.map(text => {
        const [says = '', ...commands] = text.split('\n');
        return (
          <div key={text} class="advice">
            <p>{says}</p>
            {commands.map(it => (
              <Copyable key={it} text={it} />
            ))}
          </div>
        );
      })}
    </>
  );
}

/** What could not be read. */
export function Unknowns({ texts }: { readonly texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <div class="unknowns" role="note">
      <strong>Unknown:</strong>
      <ul>
        {texts.map(it => (
          <li key={it}>{it}</li>
        ))}
      </ul>
    </div>
  );
}

export function Facts({ rows }: { readonly rows: readonly (readonly [about: string, text: string])[] }) {
  return (
    <dl class="facts">
      {rows.map(([about, text]) => (
        <div key={about}>
          <dt>{about}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
