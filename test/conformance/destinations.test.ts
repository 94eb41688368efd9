import {
  DeleteRuleCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { DeployedFunction } from './deployed-function';
import { Queue } from './queue';
import { row, Target } from './target';
import { openQueue, Topic } from './topic';

const CODE = `exports.handler = async ({ bad }) => {
  if (bad) throw new Error('no stock');
  return { done: true };
};`;
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const OPEN_TO_EVENTS = JSON.stringify({
  Version: '2012-10-17',
  Statement: {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: '*',
  },
});

describe('section 8: destinations', () => {
  const aws = new Target();

  async function deployed(onSuccess: string, onFailure: string): Promise<DeployedFunction> {
    const made = await DeployedFunction.of(aws, CODE);
    await made.onEvents({
      MaximumRetryAttempts: 0,
      DestinationConfig: { OnSuccess: { Destination: onSuccess }, OnFailure: { Destination: onFailure } },
    });
    return made;
  }

  const records = async (queue: Queue) => (await queue.bodies()).map(body => JSON.parse(body ?? ''));

  row('the record of a success', async () => {
    const [good, bad] = [await openQueue(aws), await openQueue(aws)];
    const made = await deployed(good.arn, bad.arn);
    const requestId = await made.invoke({ n: 1 });
    await aws.pass(3);
    expect(await records(good)).toEqual([
      {
        version: '1.0',
        timestamp: INSTANT,
        requestContext: {
          requestId,
          functionArn: `${made.arn}:$LATEST`,
          condition: 'Success',
          approximateInvokeCount: 1,
        },
        requestPayload: { n: 1 },
        responseContext: { statusCode: 200, executedVersion: '$LATEST' },
        responsePayload: { done: true },
      },
    ]);
    expect(await bad.depths()).toEqual([0, 0, 0]);
  });

  row('the record of a failure', async () => {
    const [good, bad] = [await openQueue(aws), await openQueue(aws)];
    const made = await deployed(good.arn, bad.arn);
    const requestId = await made.invoke({ bad: true });
    await aws.pass(3);
    expect(await records(bad)).toEqual([
      {
        version: '1.0',
        timestamp: INSTANT,
        requestContext: {
          requestId,
          functionArn: `${made.arn}:$LATEST`,
          condition: 'RetriesExhausted',
          approximateInvokeCount: 1,
        },
        requestPayload: { bad: true },
        responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
        responsePayload: { errorType: 'Error', errorMessage: 'no stock', trace: expect.any(Array) },
      },
    ]);
    expect(await good.depths()).toEqual([0, 0, 0]);
  });

  row('a topic gets the same record', async () => {
    const [topic, good] = [await Topic.of(aws), await openQueue(aws)];
    const heard = await topic.queue({ RawMessageDelivery: 'true' });
    const made = await deployed(good.arn, topic.arn);
    await made.invoke({ bad: true });
    await aws.pass(3);
    expect(await records(heard)).toMatchObject([{ requestContext: { condition: 'RetriesExhausted' } }]);
  });

  row('a function is invoked with the same record', async () => {
    const [good, bad] = [await openQueue(aws), await openQueue(aws)];
    const second = await deployed(good.arn, bad.arn);
    const first = await deployed(second.arn, bad.arn);
    await first.invoke({ n: 1 });
    await aws.pass(5);
    expect(await records(good)).toMatchObject([
      { requestPayload: { requestContext: { functionArn: `${first.arn}:$LATEST` }, responsePayload: { done: true } } },
    ]);
  });

  row.each([
    ['Success', {}],
    ['Failure', { bad: true }],
  ])('an event bus gets a Lambda Function Invocation Result - %s', async (word, event) => {
    const queue = await Queue.of(aws, { Policy: OPEN_TO_EVENTS });
    const [, , , region, account] = queue.arn.split(':');
    const bus = `arn:aws:events:${region}:${account}:event-bus/default`;
    const made = await deployed(bus, bus);
    const Name = aws.name('rule');
    const pattern = { source: ['lambda'], resources: [`${made.arn}:$LATEST`] };
    await aws.events.send(new PutRuleCommand({ Name, EventPattern: JSON.stringify(pattern) }));
    await aws.events.send(new PutTargetsCommand({ Rule: Name, Targets: [{ Id: 'queue', Arn: queue.arn }] }));
    aws.afterwards(() => aws.events.send(new DeleteRuleCommand({ Name })));
    aws.afterwards(() => aws.events.send(new RemoveTargetsCommand({ Rule: Name, Ids: ['queue'] })));
    await made.invoke(event);
    await aws.pass(3);
    expect(await records(queue)).toMatchObject([
      {
        source: 'lambda',
        'detail-type': `Lambda Function Invocation Result - ${word}`,
        detail: { version: '1.0', requestPayload: event },
      },
    ]);
  });
});
