import { useState } from 'preact/hooks';
import type { CauseRow, FixRow, LookDocument } from '../../api/queue';
import { Failure, useAction } from '../shared/action';
import { nowMs } from '../shared/clock';
import { Advice, Copyable } from '../shared/copy';
import { call, useFeed } from '../shared/server-connection';
import { ago, counted, formatInstant, formatNumber } from '../shared/text';

/** The class that gives a cause its color. */
export function seriesOf(cause: string | null): string {
  return cause === null ? 'series-none' : `series-${Number(cause) % 6}`;
}

interface CausesProps {
  readonly look: LookDocument;
  /** The id of the cause whose messages are listed. */
  readonly chosen: string;
  readonly choose: (cause: string) => void;
}

/** Why the messages are here, and what fixes it. */
export function Causes({ look, chosen, choose }: CausesProps) {
  const isOnly = look.causes.length === 1 && look.unexplained.length === 0;
  return (
    <section class="card" aria-labelledby="causes">
      <h2 id="causes">Why they are here</h2>
      {look.causes.length === 0 && look.unexplained.length === 0 && <p class="empty">No message was seen.</p>}
      {look.causes.map(cause => (
        <Cause key={cause.id} look={look.look} cause={cause}>
          {cause.messages > 0 && !isOnly && (
            <button
              type="button"
              aria-pressed={chosen === cause.id}
              onClick={() => choose(chosen === cause.id ? '' : cause.id)}
            >
              {chosen === cause.id ? 'List all messages' : 'List only these messages'}
            </button>
          )}
        </Cause>
      ))}
      {look.unexplained.map(({ says, messages }) => (
        <p key={says}>
          {counted(messages, 'message', 'messages')}: {says}
        </p>
      ))}
      {look.notes.map(({ says, fix }) => (
        <div key={says}>
          <p>{says}</p>
          {fix && <Fix fix={fix} />}
        </div>
      ))}
    </section>
  );
}

interface CauseProps {
  readonly look: string;
  readonly cause: CauseRow;
  readonly children: preact.ComponentChildren;
}

function Cause({ look, cause, children }: CauseProps) {
  const { id, says, isInferred, messages, share, firstAtMs, lastAtMs, example, oneOf, details, fix, replays } = cause;
  const now = nowMs.value;
  return (
    <article class={`cause ${seriesOf(id)}`}>
      <h3>{says}</h3>
      <p class="cause-share">
        <strong>{counted(messages, 'message', 'messages')}</strong> ({Math.round(share * 100)} %), first{' '}
        <span title={formatInstant(firstAtMs)}>{ago(firstAtMs, now)}</span>, last{' '}
        <span title={formatInstant(lastAtMs)}>{ago(lastAtMs, now)}</span>{' '}
        {isInferred && <span class="tag warn">inferred from the configuration</span>}
      </p>
      {oneOf.length > 0 && (
        <ul>
          {oneOf.map(({ code, times }) => (
            <li key={code}>
              {code} ({formatNumber(times)} times)
            </li>
          ))}
        </ul>
      )}
      {details.map(it => (
        <p key={it}>{it}</p>
      ))}
      {fix && <Fix fix={fix} apply={{ look, cause: id }} />}
      {replays.length > 0 && <Advice texts={[['Once that is fixed:', ...replays].join('\n')]} />}
      <details>
        <summary>An example</summary>
        <p>
          Message <code>{example.messageId}</code>
        </p>
        {example.answer !== '' && <pre>{example.answer}</pre>}
        {example.logLines.length > 0 && <pre>{[example.logGroup, ...example.logLines].join('\n')}</pre>}
      </details>
      {children}
    </article>
  );
}

interface FixProps {
  readonly fix: FixRow;
  /** What names it. @default - it can only be copied */
  readonly apply?: { readonly look: string; readonly cause: string };
}

function Fix({ fix: { says, commands, isApplicable }, apply }: FixProps) {
  const mayChange = useFeed('status').document?.mayChange ?? false;
  return (
    <div class="fix">
      <p>
        <strong>Fix:</strong> {says}
      </p>
      {commands.map(it => (
        <Copyable key={it} text={it} />
      ))}
      {apply && isApplicable && mayChange && <Apply {...apply} count={commands.length} />}
    </div>
  );
}

/** The commands above are the plan: this asks, and makes their calls. */
function Apply({ look, cause, count }: { readonly look: string; readonly cause: string; readonly count: number }) {
  const [step, setStep] = useState<'offered' | 'asked' | 'done'>('offered');
  const { isBusy, problem, run } = useAction();
  const apply = async (): Promise<void> => {
    setStep('offered');
    if (await run(() => call('queue/fix', { look, cause }))) setStep('done');
  };
  return (
    <div role="status">
      {step === 'offered' && !isBusy && (
        <button type="button" onClick={() => setStep('asked')}>
          Apply this fix …
        </button>
      )}
      {step === 'asked' && (
        <p>
          The console makes {count === 1 ? 'the call of this command' : 'the calls of these commands'} in your name.{' '}
          <button type="button" class="primary" onClick={apply}>
            Apply it now
          </button>{' '}
          <button type="button" onClick={() => setStep('offered')}>
            Not now
          </button>
        </p>
      )}
      {isBusy && <p class="reading">Applying …</p>}
      {step === 'done' && (
        <p class="tag good">Applied. AWS may take a minute until it acts on it. Then plan a redrive.</p>
      )}
      <Failure of={problem} />
    </div>
  );
}
