import { LambdaClient } from '@aws-sdk/client-lambda';
import type { Stack } from 'aws-cdk-lib';
import type { Fault } from '../../../../local';
import type { DeadLetter } from '../../../../mover/dead-letter';
import { ReplayingMessageMover } from '../../../../mover/replaying-courier';
import { Deployed } from '../../../support/deployed';
import { newFunction } from '../../../support/inline-function';

const messageOf = (body: string, attributes: DeadLetter['attributes'] = {}): DeadLetter => ({
  messageId: 'letter',
  receiptHandle: 'handle',
  firstReceivedAtMs: 0,
  receiveCount: 1,
  body,
  attributes,
  sentAtMs: 0,
});

const FIT = { kind: 'fit' };
const CAME_BACK = { kind: 'unfit', cause: 'came-back', reason: 'was replayed, and the function failed again' };

describe('The courier of a replay', () => {
  let deployed: Deployed;
  let client: LambdaClient;
  let messageMover: ReplayingMessageMover;

  beforeAll(async () => {
    deployed = await Deployed.stack((stack: Stack) => newFunction(stack));
    client = new LambdaClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 });
  });

  beforeEach(() => {
    messageMover = new ReplayingMessageMover(client, {
      kind: 'function',
      arn: deployed.arn('Function'),
      bodyIs: 'event',
    });
  });

  afterEach(() => deployed.aws.faults.clear());

  test('knows the requests it has made, were Lambda to lose the mark of their events', async () => {
    const message = messageOf('{"order":1}');
    expect(messageMover.inspect(message)).toEqual(FIT);
    expect(await messageMover.move([message])).toEqual([{ kind: 'moved' }]);
    const [queued] = deployed.happened('lambda.event-queued').slice(-1);
    const RequestID = { DataType: 'String', StringValue: queued?.requestId ?? '' };
    expect(messageMover.inspect(messageOf('{"order":1}', { RequestID }))).toEqual(CAME_BACK);
    expect(
      messageMover.inspect(messageOf('{"order":1}', { RequestID: { ...RequestID, StringValue: 'another' } })),
    ).toEqual(FIT);
  });

  test('never takes an equal event for one that came back', async () => {
    await messageMover.move([messageOf('{"order":1}')]);
    expect(messageMover.inspect(messageOf('{"order":1}'))).toEqual(FIT);
  });

  test.each<{ fault: Omit<Fault, 'service'>; fate: object }>([
    { fault: { throttle: true }, fate: { kind: 'again', reason: 'Invoke: TooManyRequestsException: Rate Exceeded.' } },
    { fault: { httpStatus: 503, code: 'ServiceException' }, fate: { kind: 'again' } },
    { fault: { httpStatus: 409, code: 'ResourceConflictException' }, fate: { kind: 'again' } },
    { fault: { httpStatus: 413, code: 'RequestEntityTooLargeException' }, fate: { kind: 'unfit', cause: 'refused' } },
    { fault: { httpStatus: 400, code: 'InvalidRequestContentException' }, fate: { kind: 'unfit', cause: 'refused' } },
  ])('of the answer $fault makes $fate', async ({ fault, fate }) => {
    deployed.aws.faults.set({ service: 'lambda', action: 'Invoke', ...fault });
    expect(await messageMover.move([messageOf('{}')])).toMatchObject([fate]);
  });

  test.each([
    { httpStatus: 403, code: 'AccessDeniedException' },
    { httpStatus: 404, code: 'ResourceNotFoundException' },
  ])('ends the stint where the function is closed to it: $code', async fault => {
    deployed.aws.faults.set({ service: 'lambda', action: 'Invoke', ...fault });
    expect(await messageMover.move([messageOf('{}')])).toMatchObject({
      kind: 'closed',
      reason: expect.stringContaining(fault.code),
    });
  });

  test('does not know whether Lambda has what it did not answer, and tries no more', async () => {
    const dead = new LambdaClient({
      ...deployed.aws.clientConfig(),
      maxAttempts: 1,
      requestHandler: { handle: () => Promise.reject(new Error('socket hang up')) },
    });
    const silent = new ReplayingMessageMover(dead, {
      kind: 'function',
      arn: deployed.arn('Function'),
      bodyIs: 'event',
    });
    expect(await silent.move([messageOf('{}')])).toMatchObject([
      { kind: 'unknown', reason: expect.stringContaining('socket hang up') },
    ]);
  });
});
