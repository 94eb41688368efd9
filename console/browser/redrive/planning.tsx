import { useState } from 'preact/hooks';
import type { LeaseDocument, PlanDocument, RedriveRequest } from '../../api/redrive';
import { type Action, Form } from '../shared/action';
import { Copyable, Facts, Unknowns } from '../shared/copy';
import { call } from '../shared/server-connection';

type Terms = Omit<RedriveRequest, 'queue'>;

interface PlanningProps {
  readonly queue: string;
  readonly terms: Terms;
  readonly lease: LeaseDocument | null;
  readonly mayChange: boolean;
  readonly isEmpty: boolean;
  /** Plans, and begins. */
  readonly action: Action;
}

/** Asks what to move, shows the plan, and begins it. */
export function Planning({ queue, terms, lease, mayChange, isEmpty, action }: PlanningProps) {
  const [plan, setPlan] = useState<PlanDocument>();
  const [request, setRequest] = useState<RedriveRequest>({ queue, ...terms });
  const { isBusy, run } = action;
  const planNow = (next: Terms) =>
    run(async () => {
      setPlan(undefined);
      setRequest({ queue, ...next });
      setPlan(await call('redrive/plan', { queue, ...next }));
    });
  const execute = (steal: boolean) =>
    run(async () => {
      if (plan) await call('redrive/execute', { ...request, plan: plan.id, ...(steal && { steal }) });
    });
  return (
    <>
      {isEmpty && !plan && <p class="empty">There is nothing to redrive.</p>}
      <TermsForm terms={terms} isBusy={isBusy} onPlan={planNow} />
      <p role="status" class="reading">
        {isBusy && (plan ? 'Beginning …' : 'Reading the queues and what surrounds them …')}
      </p>
      {plan && <ShownPlan plan={plan} lease={lease} mayChange={mayChange} isBusy={isBusy} onExecute={execute} />}
    </>
  );
}

function termsOf(text: (field: string) => string): Terms {
  const [rate, canary] = [text('rate').trim(), text('canary').trim()];
  const [to, subscription, filter] = [text('to').trim(), text('subscription').trim(), text('filter').trim()];
  return {
    ...(rate !== '' && { rate: Number(rate) }),
    ...(canary !== '' && { canary: Number(canary) }),
    ...(to !== '' && { to }),
    ...(subscription !== '' && { subscription }),
    ...(filter !== '' && { filter }),
    ...(text('force') !== '' && { force: true }),
  };
}

interface TermsFormProps {
  readonly terms: Terms;
  readonly isBusy: boolean;
  readonly onPlan: (terms: Terms) => void;
}

function TermsForm({ terms, isBusy, onPlan }: TermsFormProps) {
  const { to, subscription, filter, force = false, rate, canary } = terms;
  const isSpecial = to !== undefined || subscription !== undefined || filter !== undefined || force;
  return (
    <Form class="terms" send={text => onPlan(termsOf(text))}>
      <label>
        Messages a second
        <input name="rate" inputMode="numeric" placeholder="50" defaultValue={rate?.toString() ?? ''} />
      </label>
      <label>
        Canary, messages that go first
        <input name="canary" inputMode="numeric" placeholder="10" defaultValue={canary?.toString() ?? ''} />
      </label>
      <button type="submit" class="primary" disabled={isBusy}>
        Plan
      </button>
      <details open={isSpecial}>
        <summary>Only some messages, or another destination</summary>
        <label>
          Filter (JMESPath over data, body, attributes, who, …)
          <input name="filter" placeholder="data.orderId == 'R-0042'" defaultValue={filter ?? ''} />
        </label>
        <label>
          Destination (ARN of a queue or function)
          <input name="to" placeholder="where the messages were sent first" defaultValue={to ?? ''} />
        </label>
        <label>
          Subscription (ARN)
          <input name="subscription" placeholder="all" defaultValue={subscription ?? ''} />
        </label>
        <label class="check">
          <input type="checkbox" name="force" defaultChecked={force} />
          Receive although that brings messages nearer to another dead-letter queue
        </label>
      </details>
    </Form>
  );
}

interface ShownPlanProps {
  readonly plan: PlanDocument;
  readonly lease: LeaseDocument | null;
  readonly mayChange: boolean;
  readonly isBusy: boolean;
  readonly onExecute: (steal: boolean) => void;
}

const WEIGHTS = { blocks: 'bad', danger: 'bad', note: 'warn' } as const;
const WEIGHT_NAMES = { blocks: 'forbids it', danger: 'danger', note: 'note' } as const;

function ShownPlan({ plan, lease, mayChange, isBusy, onExecute }: ShownPlanProps) {
  const [steals, setSteals] = useState(false);
  const { says, rows, risks, unknowns, messages, id, command } = plan;
  const isBlocked = risks.some(({ weight }) => weight === 'blocks');
  return (
    <section class="plan" aria-label={`Plan ${id}`}>
      <h3>{says}</h3>
      <Facts rows={rows} />
      {risks.length > 0 && (
        <ul class="plain risks">
          {risks.map(risk => (
            <li key={risk.says}>
              <span class={`tag ${WEIGHTS[risk.weight]}`}>{WEIGHT_NAMES[risk.weight]}</span> {risk.says}.
            </li>
          ))}
        </ul>
      )}
      <Unknowns texts={unknowns} />
      {messages === 0 && <p class="empty">The queue is empty: there is nothing to do.</p>}
      {messages > 0 && isBlocked && <p class="problem">Nothing has been moved, and this plan cannot be carried out.</p>}
      {messages > 0 && !isBlocked && (
        <>
          {mayChange && (
            <div class="act">
              {lease && (
                <label class="check">
                  <input type="checkbox" checked={steals} onChange={event => setSteals(event.currentTarget.checked)} />
                  Take over the lease of dlo {lease.command}, because it was killed
                </label>
              )}
              <button type="button" class="primary" disabled={isBusy} onClick={() => onExecute(steals)}>
                Carry out this plan
              </button>{' '}
              <span class="sub">It is refused if anything has changed since.</span>
            </div>
          )}
          {!mayChange && (
            <p class="empty">This console is read-only. Start it with --allow-changes, or use the command:</p>
          )}
          <Copyable text={command} />
        </>
      )}
    </section>
  );
}
