import { type DeployCheck, deployCheck } from '../../../local';
import { assemblyOfTemplates } from '../../support/assembly';
import { arnOf, FAN_OUT, mapping, policy, queue, type Resources, subscription, worker } from './app-templates';

const assembly = (Resources: Resources) => assemblyOfTemplates({ Test: { Resources } });

const check = (after: Resources, before: Resources = FAN_OUT): Promise<DeployCheck> =>
  deployCheck(assembly(before), assembly(after));

const effects = ({ receivers }: DeployCheck) =>
  Object.fromEntries(
    receivers.map(({ receiver, lost, leftBehind, doubled, delayed }) => [
      receiver,
      { lost, leftBehind, doubled, delayed },
    ]),
  );

const without = (...ids: readonly string[]): Resources =>
  Object.fromEntries(Object.entries(FAN_OUT).filter(([id]) => !ids.includes(id)));

const NONE = { lost: 0, leftBehind: 0, doubled: 0, delayed: 0 };

describe('a deployment', () => {
  it.each([
    ['of the same', FAN_OUT],
    ['of other code', { ...FAN_OUT, Worker: worker({ Timeout: 6 }) }],
    [
      'of other attributes of the queue',
      { ...FAN_OUT, Queue: { ...FAN_OUT.Queue, Properties: { ...FAN_OUT.Queue.Properties, VisibilityTimeout: 60 } } },
    ],
    [
      'of one more subscriber',
      {
        ...FAN_OUT,
        More: queue(),
        MorePolicy: policy('More'),
        MoreSub: subscription('Topic', 'More', {}, 'MorePolicy'),
      },
    ],
  ])('%s is safe', async (_, after) => {
    const result = await check(after);
    expect(result).toMatchObject({
      failure: undefined,
      receivers: [],
      risks: [],
      isSafe: true,
      isStaticallySafe: true,
    });
    expect(result.sent).toBeGreaterThan(20);
  });

  it('that renames a subscription leaves the topic without one, for good', async () => {
    const result = await check({ ...without('Sub'), NewSub: FAN_OUT.Sub });
    expect(result.risks).toEqual([
      {
        severity: 'loses',
        resource: 'Test/Sub',
        why: 'To SNS, NewSub is the same subscription, which the cleanup deletes: none is left.',
      },
    ]);
    const [lost] = result.receivers;
    expect(lost).toMatchObject({ receiver: 'Test/Worker', lost: expect.any(Number) });
    expect(lost?.lost).toBeGreaterThan(10);
  });

  it('that renames a subscription and changes it fails', async () => {
    const result = await check({
      ...without('Sub'),
      NewSub: subscription('Topic', 'Queue', { RawMessageDelivery: true }),
    });
    expect(result.failure).toMatch(/UPDATE_ROLLBACK_COMPLETE: .*Subscription already exists with different attributes/);
    expect(result.risks).toMatchObject([{ severity: 'fails', resource: 'Test/Sub' }]);
    expect(result.receivers).toEqual([]);
  });

  it('that replaces a queue loses what waits in it, and what comes after its policy has moved to the new one', async () => {
    const after = { ...FAN_OUT, Queue: queue({ ...FAN_OUT.Queue.Properties, QueueName: 'other' }) };
    const result = await check(after);
    expect(result.risks.filter(({ severity }) => severity !== 'note').map(({ resource }) => resource)).toEqual([
      'Test/Queue',
      'Test/Policy',
    ]);
    // Published at 10 and 15 seconds: the queue has no policy any more, and the new one no subscription yet.
    expect(effects(result)['Test/Worker']?.lost).toBeGreaterThan(0);
    expect(result.isSafe).toBe(false);
  });

  it('that replaces a dead-letter queue loses the dead letters, unless it is retained', async () => {
    const other = { ...FAN_OUT, Dlq: queue({ QueueName: 'other' }) };
    const result = await check(other);
    expect(effects(result)['Test/Dlq']?.lost).toBeGreaterThan(0);
    expect(result.isStaticallySafe).toBe(false);
    const kept = await check({ ...FAN_OUT, Dlq: queue({ QueueName: 'other' }, { UpdateReplacePolicy: 'Retain' }) });
    expect(effects(kept)['Test/Dlq']).toMatchObject({ lost: 0, leftBehind: expect.any(Number) });
    expect(kept).toMatchObject({ isSafe: true, isStaticallySafe: true });
  });

  it('that creates a mapping again fails, and nothing happens to the messages', async () => {
    const result = await check({ ...without('Mapping'), NewMapping: mapping('Queue', 'Worker') });
    expect(result.failure).toContain('An event source mapping with SQS arn');
    expect(result).toMatchObject({ receivers: [], risks: [{ severity: 'fails', resource: 'Test/Mapping' }] });
  });

  it('that renames the policy of a queue leaves the queue without one', async () => {
    const Sub = subscription('Topic', 'Queue', {}, 'NewPolicy');
    const result = await check({ ...without('Policy'), Sub, NewPolicy: FAN_OUT.Policy });
    expect(result.risks).toMatchObject([{ severity: 'loses', resource: 'Test/Policy' }]);
    expect(effects(result)['Test/Worker']?.lost).toBeGreaterThan(10);
  });

  it('that replaces a queue without a policy of its own delivers twice while there are two', async () => {
    const open = { Topic: FAN_OUT.Topic, Queue: queue(), Policy: policy('Queue'), Sub: subscription('Topic', 'Queue') };
    const after = { ...open, Queue: queue({ QueueName: 'other' }), Policy: undefined, QueuePolicy: policy('Queue') };
    const { Policy: _, ...changed } = after;
    const result = await check(changed, open);
    expect(effects(result)['Test/Queue']?.doubled).toBeGreaterThan(0);
  });

  it('that replaces the function doubles and loses nothing', async () => {
    const result = await check({ ...FAN_OUT, Worker: worker({ FunctionName: 'other' }) });
    expect(effects(result)['Test/Worker'] ?? NONE).toMatchObject({ lost: 0, doubled: 0 });
    expect(result.isSafe).toBe(true);
  });

  it('that gives a filter changes only what is published from then on', async () => {
    const Sub = subscription('Topic', 'Queue', { FilterPolicy: { kind: ['none'] } }, 'Policy');
    const result = await check({ ...FAN_OUT, Sub });
    expect(result).toMatchObject({ receivers: [], isSafe: true, isStaticallySafe: true });
  });

  it('that deletes a queue of a consumer outside of the stacks loses its backlog', async () => {
    const before = { ...FAN_OUT, Inbox: queue() };
    const result = await check(FAN_OUT, before);
    expect(effects(result)).toEqual({ 'Test/Inbox': { ...NONE, lost: expect.any(Number) } });
    expect(result.risks).toMatchObject([{ severity: 'loses', resource: 'Test/Inbox' }]);
  });

  it('is checked with the same result each time', async () => {
    const after = {
      ...FAN_OUT,
      Dlq: queue({ QueueName: 'other' }),
      Extra: queue({ RedrivePolicy: { deadLetterTargetArn: arnOf('Dlq'), maxReceiveCount: 3 } }),
    };
    expect(await check(after)).toEqual(await check(after));
  });
});
