import type { Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Connection } from '../../../account/connection/connection';
import { type Question, UnreadCalls } from '../../../account/connection/unread-calls';
import { BadInput } from '../../../account/errors';
import { gatherEvidence } from '../../../account/evidence/gather-evidence';
import { locationOf } from '../../../account/inventory/dead-letter-queues';
import { readInventory } from '../../../account/inventory/read-inventory';
import { planRedriveOf } from '../../../account/manual-redrive/read-and-plan';
import { explain } from '../../../diagnosis/causes/explain';
import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import { deadLetterQueues, feedersOf } from '../../../diagnosis/inventory/feeders';
import { mayLack } from '../../../diagnosis/inventory/inventory';
import type { MaybeKnown } from '../../../template/maybe-known';
import { connectedTo } from '../../bin/connected-to';
import { seen } from '../../diagnosis/causes/evidence';
import { Deployed } from '../../support/deployed';
import { newFunction } from '../../support/inline-function';
import { everySender } from './every-sender';

/** Answers from memory: the account does not change, and there are hundreds of combinations of denied calls. */
class RememberedCalls extends UnreadCalls {
  constructor(
    private readonly remembered: Map<string, unknown>,
    private readonly refused: ReadonlySet<string>,
  ) {
    super();
  }

  /** The actions that have been called. */
  get actions(): ReadonlySet<string> {
    return new Set([...this.remembered.keys()].map(key => key.split(' ')[0] ?? ''));
  }

  override read<T>(question: Question, name: string | undefined, call: () => Promise<T>): Promise<MaybeKnown<T>> {
    const { action, tells } = question;
    const key = `${action} ${tells} ${name}`;
    return super.read(question, name, async () => {
      if (this.refused.has(action)) throw Object.assign(new Error(action), { name: 'AccessDenied', $metadata: {} });
      if (!this.remembered.has(key)) this.remembered.set(key, await call());
      return this.remembered.get(key) as T;
    });
  }

  override async list<T>(question: Question, pages: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
    const all = async () => {
      const found: T[] = [];
      for await (const page of pages) found.push(...page);
      return found;
    };
    const read = await this.read(question, undefined, all);
    return Array.isArray(read) ? read : [];
  }
}

/** Adds things that look wrong only to a reader that misses something: a queue for dead letters that a function reads, two feeders. */
function traps(stack: Stack): void {
  everySender(stack);
  const shared = new Queue(stack, 'shared-dlq', { queueName: 'shared-dlq' });
  const first = new Queue(stack, 'first', {
    queueName: 'first',
    deadLetterQueue: { queue: shared, maxReceiveCount: 3 },
  });
  new Topic(stack, 'News', { topicName: 'news' }).addSubscription(
    new SqsSubscription(first, { deadLetterQueue: shared, rawMessageDelivery: true }),
  );
  newFunction(stack).addEventSource(new SqsEventSource(shared));
}

const arn = (name: string) => `arn:aws:sqs:us-east-1:123456789012:${name}`;

/** Messages in `worked-dlq`, and one in `fanout-dlq`, as SQS and SNS leave them there. */
const MOVED = seen('an order', { movedFromArn: arn('work') });
const RAW = seen('an order');

describe('An account of which some calls are denied', () => {
  let deployed: Deployed;
  let url: string;
  const remembered = new Map<string, unknown>();
  let whole: Awaited<ReturnType<typeof known>>;

  /** All that commands state of the account. */
  async function known(refused: readonly string[]) {
    const calls = new RememberedCalls(remembered, new Set(refused));
    return connectedTo(url, async real => {
      const aws: Connection = { region: real.region, client: real.client, unread: calls };
      const inventory = await readInventory(aws);
      const window = { fromMs: deployed.aws.nowMs - 3_600_000, toMs: deployed.aws.nowMs };
      const reasons = async (queue: string, message: typeof MOVED) =>
        explain((await gatherEvidence(aws, arn(queue), inventory, [message], window)).evidence);
      const explanations = [await reasons('worked-dlq', MOVED), await reasons('fanout-dlq', RAW)];
      const options = { messagesPerSecond: 5, canary: 0 };
      const plans = await Promise.all(
        ['worked-dlq', 'shared-dlq', 'printer-dlq'].map(queue =>
          planRedriveOf(aws, queue, { options, isForced: true }, { at: () => {} }).catch((error: Error) => {
            if (error instanceof BadInput || /could not be read/.test(error.message)) return error.message;
            throw error;
          }),
        ),
      );
      return {
        calls,
        inventory,
        findings: checkInventory(inventory).map(({ id, resource }) => `${id} ${resource.arn}`),
        gone: deadLetterQueues(inventory).flatMap(fed => (locationOf(fed, inventory).kind === 'gone' ? [fed.arn] : [])),
        causes: explanations.flatMap(({ causes }) =>
          causes.flatMap(({ key, isInferred }) => (isInferred ? [] : [JSON.stringify(key)])),
        ),
        notes: explanations.flatMap(({ notes }) => notes.map(({ says }) => says)),
        plans,
      };
    });
  }

  beforeAll(async () => {
    deployed = await Deployed.stack(traps);
    ({ url } = await deployed.aws.listen());
    whole = await known([]);
  });

  /** What is stated although it is not so: everything that the whole knowledge does not state. */
  function wrong(part: typeof whole): readonly string[] {
    const more = (name: 'findings' | 'gone' | 'causes' | 'notes') =>
      part[name].filter(it => !whole[name].includes(it) && !/cannot be read/.test(it));
    return [...more('findings'), ...more('gone'), ...more('causes'), ...more('notes'), ...wrongPlans(part)];
  }

  /** A plan may be carried out only if it does what the plan with the whole knowledge does. */
  function wrongPlans({ plans }: typeof whole): readonly string[] {
    return plans.flatMap((plan, index) => {
      const right = whole.plans[index];
      if (typeof plan === 'string') return plan === right || /could (not|be)/.test(plan) ? [] : [plan];
      if (plan.plan.risks.some(({ weight }) => weight === 'blocks')) return [];
      if (typeof right !== 'object' || right.destination.arn !== plan.destination.arn)
        return [`to ${plan.destination.arn}`];
      const said = new Set(right.plan.risks.map(({ says }) => says));
      return plan.plan.risks.flatMap(({ says }) => (said.has(says) || /unknown|could not/.test(says) ? [] : [says]));
    });
  }

  test('the whole knowledge has something of each kind, so that the parts can go wrong', () => {
    expect(whole.findings.length).toBeGreaterThan(5);
    expect(whole.causes.length).toBeGreaterThan(0);
    expect(whole.plans.map(it => (typeof it === 'string' ? 'none' : it.destination.kind))).toEqual([
      'queue',
      'queue',
      'function',
    ]);
    expect(whole.calls.texts).toEqual([]);
    expect(whole.calls.actions.size).toBeGreaterThan(22);
  });

  test('each denied in turn: nothing wrong is stated, the rest is, and the permission is named', async () => {
    for (const action of whole.calls.actions) {
      const part = await known([action]);
      expect([action, wrong(part)]).toEqual([action, []]);
      expect([action, part.calls.texts.join()]).toEqual([action, expect.stringContaining(action)]);
    }
  });

  test('all pairs denied: nothing wrong is stated', async () => {
    const actions = [...whole.calls.actions];
    for (const [index, one] of actions.entries()) {
      for (const other of actions.slice(index + 1)) {
        expect([one, other, wrong(await known([one, other]))]).toEqual([one, other, []]);
      }
    }
  });

  test('what was read is still stated: a denied list of schedules hides no finding about alarms', async () => {
    const { findings } = await known(['scheduler:ListSchedules']);
    const about = (all: readonly string[]) => all.filter(it => it.startsWith('dead-letters-unwatched'));
    expect(about(findings).length).toBeGreaterThan(about(whole.findings).length / 2);
    const { inventory } = await known(['sns:GetSubscriptionAttributes']);
    expect(feedersOf(arn('worked-dlq'), inventory)).toHaveLength(1);
    expect(mayLack(inventory, 'feeders')).toBe(true);
    expect(mayLack(inventory, 'alarms')).toBe(false);
    const planned = ({ plans }: typeof whole) => plans.map(it => (typeof it === 'string' ? it : it.plan));
    expect(planned(await known(['sqs:ListDeadLetterSourceQueues']))).toEqual(planned(whole));
  });

  test('a role that may read nothing is told, and not that the account is empty', async () => {
    const calls = new RememberedCalls(new Map(), new Set(whole.calls.actions));
    const reading = connectedTo(url, ({ region, client }) => readInventory({ region, client, unread: calls }));
    await expect(reading).rejects.toThrow();
    expect(calls.texts.length).toBeGreaterThan(8);
  });
});
