import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { Duration } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { FailedEventForm, FunctionFailures } from '../../lib';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

const FAILS = "exports.handler = async () => { throw new Error('no invoice today'); };";

describe('FunctionFailures that keeps records', () => {
  let deployed: Deployed;
  let lambda: LambdaClient;

  beforeEach(async () => {
    deployed = await Deployed.stack(stack => {
      const encryptionKey = new Key(stack, 'Key');
      const handler = inlineFunction(stack, 'Billing', FAILS);
      new FunctionFailures(stack, 'Failures', { handler, encryptionKey, keptAs: FailedEventForm.RECORD });
      const short = { keptAs: FailedEventForm.RECORD, retryAttempts: 0, maxEventAge: Duration.minutes(1) };
      const alias = inlineFunction(stack, 'Versioned', FAILS).addAlias('live');
      new FunctionFailures(stack, 'FailuresOfAlias', { handler: alias, encryptionKey, ...short });
      inlineFunction(stack, 'Plain', FAILS);
    });
    lambda = new LambdaClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 });
  });

  const invoke = async (name: string, event: object, Qualifier?: string) => {
    const Payload = Buffer.from(JSON.stringify(event));
    await lambda.send(
      new InvokeCommand({ FunctionName: deployed.ref(name), InvocationType: 'Event', Payload, Qualifier }),
    );
    await deployed.advance({ minutes: 10 });
  };

  test('has the event, the error and its stack in the dead-letter queue, and tells of it', async () => {
    await invoke('Billing', { order: 1 });
    const [message, ...others] = await deployed.receive('Failures/DeadLetterQueue');
    expect(others).toEqual([]);
    expect(JSON.parse(message?.Body ?? '{}')).toMatchObject({
      requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 3 },
      requestPayload: { order: 1 },
      responsePayload: { errorMessage: 'no invoice today', trace: expect.any(Array) },
    });
    expect(deployed.alarmed('Failures/DeadLetterQueue/ArrivalsAlarm')).toHaveLength(1);
    expect(deployed.alarmed('Failures/DestinationFailuresAlarm')).toEqual([]);
    expect(deployed.happened('lambda.lost')).toEqual([]);
  });

  test('keeps what an alias fails on, without a retry where none is wanted', async () => {
    await invoke('Versioned', { order: 2 }, 'live');
    const [message] = await deployed.receive('FailuresOfAlias/DeadLetterQueue');
    expect(JSON.parse(message?.Body ?? '{}')).toMatchObject({
      requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 1 },
      requestPayload: { order: 2 },
    });
  });

  test('says so when even that cannot be kept', async () => {
    deployed.aws.faults.set({ service: 'sqs', action: 'SendMessage', httpStatus: 403, code: 'AccessDenied' });
    await invoke('Billing', { order: 3 });
    expect(await deployed.take('Failures/DeadLetterQueue')).toEqual([]);
    expect(deployed.alarmed('Failures/DestinationFailuresAlarm')).toHaveLength(1);
    expect(deployed.alarmed('Failures/DeadLetterQueue/ArrivalsAlarm')).toEqual([]);
  });

  test('where a plain function loses the event without a word', async () => {
    await invoke('Plain', { order: 4 });
    expect(deployed.happened('lambda.lost')).toHaveLength(1);
    expect(deployed.happened('cloudwatch.alarm-state-changed').filter(({ to }) => to === 'ALARM')).toEqual([]);
  });
});

describe('FunctionFailures with a destination beside its dead-letter queue', () => {
  test('keeps the event in one and the record in the other, both encrypted', async () => {
    const deployed = await Deployed.stack(stack => {
      const encryptionMasterKey = new Key(stack, 'Key');
      const handler = inlineFunction(stack, 'Billing', FAILS);
      const onFailure = new SqsDestination(new Queue(stack, 'Records', { encryptionMasterKey }));
      new FunctionFailures(stack, 'Failures', { handler, onFailure, encryptionKey: encryptionMasterKey });
    });
    const lambda = new LambdaClient(deployed.aws.clientConfig());
    const Payload = Buffer.from('{"order":1}');
    const FunctionName = deployed.ref('Billing');
    await lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
    await deployed.advance({ minutes: 10 });
    expect(await deployed.take('Failures/DeadLetterQueue')).toEqual(['{"order":1}']);
    const [record = '{}'] = await deployed.take('Records');
    expect(JSON.parse(record)).toMatchObject({ requestPayload: { order: 1 } });
    expect(deployed.happened('lambda.lost')).toEqual([]);
  });
});
