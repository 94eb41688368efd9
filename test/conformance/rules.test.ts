import {
  DeleteRuleCommand,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
  TestEventPatternCommand,
} from '@aws-sdk/client-eventbridge';
import { Queue } from './queue';
import { row, Target } from './target';

describe('section 12: an input template', () => {
  const aws = new Target();

  const OPEN_TO_RULES = JSON.stringify({
    Version: '2012-10-17',
    Statement: {
      Effect: 'Allow',
      Principal: { Service: 'events.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: '*',
    },
  });

  /** Returns what a queue gets by a rule with this template. */
  async function received(InputTemplate: string): Promise<readonly (string | undefined)[]> {
    const queue = await Queue.of(aws, { Policy: OPEN_TO_RULES });
    const Name = aws.name('rule');
    await aws.events.send(new PutRuleCommand({ Name, EventPattern: JSON.stringify({ source: [Name] }) }));
    aws.afterwards(() => aws.events.send(new DeleteRuleCommand({ Name })));
    const InputPathsMap = { payload: '$.detail.payload', items: '$.detail.items', command: '$.detail.command' };
    const target = { Id: 'queue', Arn: queue.arn, InputTransformer: { InputTemplate, InputPathsMap } };
    await aws.events.send(new PutTargetsCommand({ Rule: Name, Targets: [target] }));
    aws.afterwards(() => aws.events.send(new RemoveTargetsCommand({ Rule: Name, Ids: ['queue'] })));
    await aws.pass(10);
    const Detail = JSON.stringify({ command: 'update', payload: { id: 'a-1' }, items: ['a', 'b'] });
    await aws.events.send(new PutEventsCommand({ Entries: [{ Source: Name, DetailType: 'Order', Detail }] }));
    await aws.pass(10);
    return queue.bodies();
  }

  row('inserts an object, a list and a string as JSON', async () => {
    expect(await received('{"a": <payload>, "b": <items>, "c": "users/<command>"}')).toEqual([
      '{"a": {"id":"a-1"}, "b": ["a","b"], "c": "users/update"}',
    ]);
  });

  row.each(['{"payload": "<payload>"}', '{"items": "<items>"}', '{"a": "users/<command>/<payload>"}'])(
    'that puts an object or a list inside quotation marks delivers nothing: %s',
    async template => {
      expect(await received(template)).toEqual([]);
    },
  );
});

/**
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-wildcard-matching-complexity
 */
describe('section 12: a wildcard', () => {
  const aws = new Target();

  row('with too many asterisks is refused', async () => {
    const EventPattern = JSON.stringify({ source: [{ wildcard: '*:*:*:*:*:event-bus/*' }] });
    await expect(aws.events.send(new TestEventPatternCommand({ EventPattern, Event: EVENT }))).rejects.toMatchObject({
      name: 'InvalidEventPatternException',
      message:
        'Event pattern is not valid. Reason: Rule is too complex - try using fewer wildcard characters or fewer repeating character sequences after a wildcard character',
    });
  });
});

const EVENT = JSON.stringify({
  id: '1',
  source: 'test-source',
  'detail-type': 'test-detail-type',
  account: '123456789012',
  region: 'us-east-2',
  time: '2022-07-13T13:48:01Z',
  detail: {},
});
