import { Duration } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic, FunctionFailures } from '../../lib';
import { assemblyOfStack, editTemplate } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

const ORDER = '{"orderId":"A-1","customer":"Zoë"}';
const WORKS = 'exports.handler = async event => { console.log(event.Records[0].Sns.Message); };';
const GONE_ARN = 'arn:aws:lambda:us-east-1:123456789012:function:deleted-long-ago';
const FAILS = 'exports.handler = async () => { throw new RangeError("no such vehicle class"); };';

describe('deliverToFunction and FunctionFailures, with a customer-managed key', () => {
  let deployed: Deployed;

  beforeAll(async () => {
    const assembly = assemblyOfStack(stack => {
      const key = new Key(stack, 'Key');
      const deliver = (id: string, handler: LambdaFunction) =>
        new DurableTopic(stack, `${id}Topic`, { masterKey: key }).deliverToFunction('Handler', handler);
      deliver('Works', inlineFunction(stack, 'Works', WORKS));
      deliver('Forbidden', inlineFunction(stack, 'Forbidden', WORKS));
      const gone = LambdaFunction.fromFunctionArn(stack, 'Gone', GONE_ARN);
      new DurableTopic(stack, 'GoneTopic', { masterKey: key }).deliverToFunction('Handler', gone);

      const fails = inlineFunction(stack, 'Fails', FAILS);
      deliver('Fails', fails);
      new FunctionFailures(stack, 'Failures', { handler: fails, encryptionKey: key });

      const sabotaged = inlineFunction(stack, 'Sabotaged', FAILS);
      deliver('Sabotaged', sabotaged);
      const encryptionKey = new Key(stack, 'SabotagedKey');
      new FunctionFailures(stack, 'SabotagedFailures', { handler: sabotaged, encryptionKey });

      const once = inlineFunction(stack, 'Once', FAILS);
      deliver('Once', once);
      const onFailure = new SqsDestination(new Queue(stack, 'Records'));
      new FunctionFailures(stack, 'OnceFailures', { handler: once, retryAttempts: 0, onFailure });

      const old = inlineFunction(stack, 'Old', FAILS);
      deliver('Old', old);
      new FunctionFailures(stack, 'OldFailures', { handler: old, maxEventAge: Duration.seconds(90) });
    });
    editTemplate(assembly, 'Test', ({ Resources }) => {
      for (const [id, { Type, Properties = {} }] of Object.entries(Resources)) {
        if (Type === 'AWS::Lambda::Permission' && id.startsWith('ForbiddenTopic')) {
          Properties['Principal'] = 'events.amazonaws.com';
        }
      }
    });
    deployed = await Deployed.assembly(assembly);
  });

  /** Publishes and lets everything happen that will. */
  const publish = async (id: string) => {
    const publishedAt = deployed.seconds;
    const messageId = await deployed.publish(`${id}Topic`, ORDER, {
      MessageAttributes: { 'order-status': { DataType: 'String', StringValue: 'confirmed' } },
    });
    await deployed.aws.runUntilIdle();
    const arn = id === 'Gone' ? GONE_ARN : deployed.arn(id);
    const runs = deployed
      .happened('lambda.invoked')
      .filter(({ functionArn }) => functionArn === arn)
      .map(({ atMs }) => deployed.secondsAt(atMs) - publishedAt);
    return { messageId, publishedAt, runs };
  };

  test('hands the message to the function, once', async () => {
    const { runs } = await publish('Works');
    expect(runs).toEqual([0]);
    const printed = deployed.log(`/aws/lambda/${deployed.ref('Works')}`).filter(line => line.includes(ORDER));
    expect(printed).toHaveLength(1);
    expect(await deployed.take('WorksTopic/Deliveries/Handler/DeadLetterQueue')).toEqual([]);
  });

  test.each([
    { id: 'Gone', what: 'a function that was deleted', code: 'ResourceNotFoundException', statusCode: 404 },
    { id: 'Forbidden', what: 'a function whose permission is gone', code: 'AccessDeniedException', statusCode: 403 },
  ])(
    'keeps what was for $what, in the fan-out dead-letter queue, without a retry',
    async ({ id, code, statusCode }) => {
      const { messageId, publishedAt } = await publish(id);
      const [body = '', ...others] = await deployed.take(`${id}Topic/Deliveries/Handler/DeadLetterQueue`);
      expect(others).toEqual([]);
      expect(JSON.parse(body)).toMatchObject({
        Type: 'Notification',
        MessageId: messageId,
        Message: ORDER,
        SigningCertURL: expect.stringMatching(/^https:/),
        MessageAttributes: { 'order-status': { Type: 'String', Value: 'confirmed' } },
      });
      const dead = deployed.happened('sns.dead-lettered').find(it => it.messageId === messageId);
      expect(dead).toMatchObject({ attempts: 1, cause: { kind: 'client-error', errorCode: code, statusCode } });
      await deployed.advance({ minutes: 1 });
      const [alarmedAt = Number.NaN] = deployed.alarmed(`${id}Topic/Deliveries/Handler/DeadLetterQueue/ArrivalsAlarm`);
      expect(alarmedAt - publishedAt).toBeLessThanOrEqual(60);
    },
  );

  test('a function that fails is no failure of SNS: Lambda tries at 0, 60 and 180 seconds, and keeps the event', async () => {
    const { messageId, publishedAt, runs } = await publish('Fails');
    expect(runs).toEqual([0, 60, 180]);
    expect(await deployed.take('FailsTopic/Deliveries/Handler/DeadLetterQueue')).toEqual([]);
    expect(await deployed.topicSum('FailsTopic', 'NumberOfNotificationsDelivered')).toBe(1);

    const [message, ...others] = await deployed.receive('Failures/DeadLetterQueue');
    expect(others).toEqual([]);
    expect(JSON.parse(message?.Body ?? '')).toMatchObject({
      Records: [{ EventSource: 'aws:sns', Sns: { MessageId: messageId, Message: ORDER } }],
    });
    const queued = deployed.happened('lambda.event-queued').find(({ messageIds }) => messageIds.includes(messageId));
    expect(message?.MessageAttributes).toEqual({
      RequestID: expect.objectContaining({ DataType: 'String', StringValue: queued?.requestId }),
      ErrorCode: expect.objectContaining({ DataType: 'Number', StringValue: '200' }),
      ErrorMessage: expect.objectContaining({ DataType: 'String', StringValue: 'no such vehicle class' }),
    });

    await deployed.advance({ minutes: 2 });
    for (const alarm of ['EventsDroppedAlarm', 'DeadLetterQueue/ArrivalsAlarm']) {
      const [at = Number.NaN] = deployed.alarmed(`Failures/${alarm}`);
      expect(at - publishedAt).toBeGreaterThanOrEqual(180);
      expect(at - publishedAt).toBeLessThanOrEqual(240);
    }
    expect(deployed.alarmed('Failures/DeadLetterErrorsAlarm')).toEqual([]);
    expect(deployed.alarmed('Failures/LoopStoppedAlarm')).toEqual([]);
  });

  test('tells when not even the dead-letter queue could be reached', async () => {
    deployed.aws.services.kms.disableKey(deployed.ref('SabotagedKey'));
    await publish('Sabotaged');
    const gaveUpAt = deployed.seconds;
    await deployed.advance({ minutes: 2 });
    expect(deployed.happened('lambda.lost')).toMatchObject([
      { functionArn: deployed.arn('Sabotaged'), condition: 'RetriesExhausted', attempts: 3 },
    ]);
    expect(await deployed.functionSum('Sabotaged', 'DeadLetterErrors')).toBe(1);
    const [at = Number.NaN] = deployed.alarmed('SabotagedFailures/DeadLetterErrorsAlarm');
    expect(at - gaveUpAt).toBeLessThanOrEqual(60);
  });

  test('without retries, an event is kept at once, and its record goes to the destination', async () => {
    const { messageId, runs } = await publish('Once');
    expect(runs).toEqual([0]);
    expect(await deployed.take('OnceFailures/DeadLetterQueue')).toHaveLength(1);
    const [record = ''] = await deployed.take('Records');
    expect(JSON.parse(record)).toMatchObject({
      version: '1.0',
      requestContext: {
        functionArn: `${deployed.arn('Once')}:$LATEST`,
        condition: 'RetriesExhausted',
        approximateInvokeCount: 1,
      },
      requestPayload: { Records: [{ Sns: { MessageId: messageId } }] },
      responseContext: { statusCode: 200, functionError: 'Unhandled' },
      responsePayload: { errorType: 'RangeError', errorMessage: 'no such vehicle class' },
    });
    expect(deployed.alarmed('OnceFailures/DestinationFailuresAlarm')).toEqual([]);
  });

  test('an event that would grow too old is not tried again', async () => {
    const { runs } = await publish('Old');
    expect(runs).toEqual([0, 60]);
    expect(await deployed.take('OldFailures/DeadLetterQueue')).toHaveLength(1);
  });
});
