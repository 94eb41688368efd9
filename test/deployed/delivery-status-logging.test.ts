import { createHash } from 'node:crypto';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic } from '../../lib';
import { response } from '../../local';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

const URL = 'https://partner.example.com/orders';
const GONE_ARN = 'arn:aws:lambda:us-east-1:123456789012:function:deleted-long-ago';
const ORDER = 'Zoë rents';
const START = '2026-01-05T09:30:15.250Z';

/** As far as these tests look into a record. */
interface StatusRecord {
  readonly notification: Readonly<Record<string, string>>;
  readonly delivery: Readonly<Record<string, unknown>> & {
    readonly destination: string;
    readonly providerResponse: string;
  };
  readonly status: string;
}

describe('delivery-status logging', () => {
  let deployed: Deployed;
  let messageId: string;

  /** The records of one delivery's destination. */
  const recordsTo = (topic: string, destination: string, outcome: '' | '/Failure' = '') =>
    deployed
      .log(`sns/us-east-1/123456789012/${deployed.name(topic)}${outcome}`)
      .map(text => JSON.parse(text) as StatusRecord)
      .filter(({ delivery }) => delivery.destination === destination);

  beforeAll(async () => {
    deployed = await Deployed.stack(
      stack => {
        const topic = new DurableTopic(stack, 'Orders');
        const handler = inlineFunction(stack, 'Handler', 'exports.handler = async () => {};');
        topic.deliverToQueue('Queue', new Queue(stack, 'Queue'));
        topic.deliverToQueue('Locked', new Queue(stack, 'LockedQueue'));
        topic.deliverToFunction('Handler', handler);
        topic.deliverToFunction('Gone', LambdaFunction.fromFunctionArn(stack, 'Gone', GONE_ARN));
        topic.deliverToEndpoint('Partner', URL);

        const silent = new DurableTopic(stack, 'Silent', { deliveryStatusLogging: { successSampleRate: 0 } });
        silent.deliverToQueue('Queue', new Queue(stack, 'SilentQueue'));
        const off = new DurableTopic(stack, 'Off', { logDeliveryStatus: false });
        off.deliverToQueue('Queue', new Queue(stack, 'OffQueue'));
      },
      { startAt: START },
    );
    await deployed.aws.runUntilIdle();
    deployed.aws.services.sns.confirm(URL);
    await deployed.takeQueuePolicyAway('LockedQueue');
    messageId = await deployed.publish('Orders', ORDER);
    for (const topic of ['Silent', 'Off']) await deployed.publish(topic, ORDER);
    await deployed.aws.runUntilIdle();
  });

  test('writes a success to a queue down, with what SQS answered', () => {
    const [record, ...others] = recordsTo('Orders', deployed.arn('Queue'));
    expect(others).toEqual([]);
    expect(record).toEqual({
      notification: {
        messageMD5Sum: createHash('md5').update(ORDER).digest('hex'),
        messageId,
        topicArn: deployed.ref('Orders'),
        timestamp: '2026-01-05 09:30:15.250',
      },
      delivery: {
        deliveryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        destination: deployed.arn('Queue'),
        redrivePolicy: expect.stringContaining(deployed.arn('Orders/Deliveries/Queue/DeadLetterQueue')),
        providerResponse: expect.any(String),
        dwellTimeMs: expect.any(Number),
        attempts: 1,
        statusCode: 200,
      },
      status: 'SUCCESS',
    });
    expect(Object.keys(JSON.parse(record?.delivery.providerResponse ?? ''))).toEqual(['sqsRequestId', 'sqsMessageId']);
  });

  test('writes a function’s success down with 202, and without attempts', () => {
    const [record, ...others] = recordsTo('Orders', deployed.arn('Handler'));
    expect(others).toEqual([]);
    expect(record).toMatchObject({ status: 'SUCCESS', delivery: { statusCode: 202 } });
    expect(record?.delivery).not.toHaveProperty('attempts');
    expect(Object.keys(JSON.parse(record?.delivery.providerResponse ?? ''))).toEqual(['lambdaRequestId']);
  });

  test('writes a success over HTTP down', () => {
    expect(recordsTo('Orders', URL)).toMatchObject([{ status: 'SUCCESS', delivery: { statusCode: 200, attempts: 1 } }]);
  });

  test('writes each failure into the other group, and the dead letter that came of it beside it', () => {
    const [locked, ...others] = recordsTo('Orders', deployed.arn('LockedQueue'), '/Failure');
    expect(others).toEqual([]);
    expect(locked).toMatchObject({
      notification: { messageId, topicArn: deployed.ref('Orders') },
      delivery: { attempts: 1, statusCode: 403 },
      status: 'FAILURE',
    });
    expect(JSON.parse(locked?.delivery.providerResponse ?? '')).toEqual({
      ErrorCode: 'AccessDenied',
      ErrorMessage: `Access to the resource ${deployed.ref('LockedQueue')} is denied.`,
      sqsRequestId: 'Unrecoverable',
    });
    expect(recordsTo('Orders', GONE_ARN, '/Failure')).toMatchObject([{ delivery: { statusCode: 404 } }]);
    expect(recordsTo('Orders', deployed.arn('LockedQueue'))).toEqual([]);

    const deadLetters = recordsTo('Orders', deployed.arn('Orders/Deliveries/Locked/DeadLetterQueue'));
    expect(deadLetters).toMatchObject([
      { notification: { messageId }, delivery: { statusCode: 200 }, status: 'SUCCESS' },
    ]);
    expect(deadLetters[0]?.delivery).not.toHaveProperty('redrivePolicy');
  });

  test('writes every attempt it made at an endpoint into one record, with the time until the last', async () => {
    deployed.aws.endpoint('partner.example.com').behave({ reply: response(503, 'closed'), count: 4 });
    const failed = await deployed.publish('Orders', ORDER);
    await deployed.aws.runUntilIdle();
    const records = recordsTo('Orders', URL, '/Failure').filter(record => record.notification['messageId'] === failed);
    expect(records).toMatchObject([
      { delivery: { attempts: 4, statusCode: 503, providerResponse: 'closed' }, status: 'FAILURE' },
    ]);
    expect(records[0]?.delivery['dwellTimeMs']).toBeGreaterThanOrEqual(60_000);
  });

  test('leaves out successes at a sample rate of 0, and everything where it is off', async () => {
    for (const queue of ['SilentQueue', 'OffQueue']) expect(await deployed.take(queue)).toHaveLength(1);
    expect(recordsTo('Silent', deployed.arn('SilentQueue'))).toEqual([]);
    expect(deployed.log(`sns/us-east-1/123456789012/${deployed.name('Off')}`)).toEqual([]);
  });
});
