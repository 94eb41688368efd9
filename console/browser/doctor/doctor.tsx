import { useState } from 'preact/hooks';
import type { ConsequenceDocument, DoctorDocument, FindingDocument } from '../../api/doctor';
import { nowMs } from '../shared/clock';
import { Copyable, Reading, Unknowns } from '../shared/copy';
import { useFeed } from '../shared/server-connection';
import { ago, counted } from '../shared/text';

/** Findings that are drawn without a click. */
const MOST_FINDINGS = 20;

/** What the doctor finds, the most severe consequence first. */
export function Doctor() {
  const state = useFeed('doctor');
  const [search, setSearch] = useState('');
  if (!state.document) return <Reading state={state} what="what messages pass through" />;
  const { consequences } = state.document;
  const count = consequences.reduce((sum, it) => sum + it.count, 0);
  return (
    <>
      <Summary doctor={state.document} count={count} />
      {count > MOST_FINDINGS && (
        <label class="search">
          Show only{' '}
          <input
            type="search"
            placeholder="a resource or a check"
            value={search}
            onInput={event => setSearch(event.currentTarget.value)}
          />
        </label>
      )}
      {consequences.map(it => (
        <Consequence key={it.severity} consequence={it} search={search.toLowerCase()} />
      ))}
    </>
  );
}

function Summary({ doctor, count }: { readonly doctor: DoctorDocument; readonly count: number }) {
  const { unknowns, missing, checked, readAtMs, consequences } = doctor;
  return (
    <section class="card">
      <h2>{count === 0 ? 'No findings' : counted(count, 'finding', 'findings')}</h2>
      <p class="checked">
        {unknowns.length > 0 && count === 0 ? 'In what could be read. ' : ''}
        Checked {ago(readAtMs, nowMs.value)}: {checked.join(', ')}.
      </p>
      {consequences.length > 0 && (
        <ul class="counts">
          {consequences.map(({ severity, says, count: found }) => (
            <li key={severity}>
              <span class={`tag severity-${severity}`}>{found}</span> {says}
            </li>
          ))}
        </ul>
      )}
      <Unknowns texts={unknowns} />
      {missing !== null && (
        <details>
          <summary>The policy statement that would make it known</summary>
          <Copyable text={missing} />
        </details>
      )}
    </section>
  );
}

function Consequence(props: { readonly consequence: ConsequenceDocument; readonly search: string }) {
  const { severity, says, findings } = props.consequence;
  const [isAll, setAll] = useState(false);
  const found = findings.flatMap(it => {
    const resources = it.resources.filter(({ name, arn, others }) =>
      [it.check, name, arn, ...others].join(' ').toLowerCase().includes(props.search),
    );
    return resources.length === 0 ? [] : [{ ...it, resources }];
  });
  if (found.length === 0) return null;
  const shown = isAll ? found : found.slice(0, MOST_FINDINGS);
  return (
    <section class="card" aria-label={says}>
      <h2>
        <span class={`tag severity-${severity}`}>{severity}</span> {says.charAt(0).toUpperCase() + says.slice(1)}
      </h2>
      {shown.map(it => (
        <FoundProblem key={`${it.check} ${it.resources[0]?.arn} ${it.says}`} finding={it} />
      ))}
      {found.length > shown.length && (
        <button type="button" class="quiet" onClick={() => setAll(true)}>
          Show {counted(found.length - shown.length, 'more finding', 'more findings')}
        </button>
      )}
    </section>
  );
}

function FoundProblem({ finding }: { readonly finding: FindingDocument }) {
  const { check, resources, says, fix, statement, guide } = finding;
  const [first, ...more] = resources;
  const isOne = more.length === 0 && first?.others.length === 0;
  const hasCommands = resources.some(({ commands }) => commands.length > 0);
  return (
    <article class="finding">
      {isOne ? <h3 title={first?.arn}>{first?.name}</h3> : <h3>{counted(resources.length, 'finding', 'findings')}</h3>}
      <p>{says}</p>
      <p>
        <strong>Fix:</strong> {fix}{' '}
        <a href={guide} target="_blank" rel="noreferrer">
          {check} in the guide
        </a>
      </p>
      {isOne ? first.commands.map(it => <Copyable key={it} text={it} />) : <Resources all={resources} />}
      {statement !== null && !hasCommands && <Copyable text={statement} />}
    </article>
  );
}

/** The resources of a finding, each with what fixes it. */
function Resources({ all }: { readonly all: FindingDocument['resources'] }) {
  return (
    <ul>
      {all.map(({ name, arn, others, commands }) => (
        <li key={`${arn} ${others.join()}`} title={arn}>
          <strong>{name}</strong>
          {others.length > 0 && `, with ${others.join(', ')}`}
          {commands.length > 0 && (
            <details>
              <summary>Fix {name}</summary>
              {commands.map(it => (
                <Copyable key={it} text={it} />
              ))}
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}
