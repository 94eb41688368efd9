import { SQSServiceException } from '@aws-sdk/client-sqs';
import { awsFailureOf, failureKindOf, isNotFound, TolerantReader } from '../../../mover/aws/aws-calls';
import { isAlreadyRunning, isNotADeadLetterQueue, isTaskOver } from '../../../mover/aws/move-tasks';

function answered(name: string, $fault: 'client' | 'server' = 'client', message = 'AWS says so') {
  return new SQSServiceException({ name, $fault, message, $metadata: {} });
}

test.each([
  ['AccessDenied', 'permissions-missing'],
  ['AccessDeniedException', 'permissions-missing'],
  ['KMS.AccessDeniedException', 'permissions-missing'],
  ['AuthorizationError', 'permissions-missing'],
  ['RequestThrottled', 'throttled'],
  ['ThrottlingException', 'throttled'],
  ['TooManyRequestsException', 'throttled'],
  ['InvalidParameterValue', 'refused'],
])('%s is the outcome %s', (code, outcome) => {
  expect(failureKindOf(code)).toBe(outcome);
  expect(awsFailureOf(answered(code), 'StartMessageMoveTask')).toEqual({
    outcome,
    code,
    reason: `StartMessageMoveTask: ${code}: AWS says so`,
  });
});

test('what AWS itself failed at, and what it never answered, is unavailable', () => {
  expect(awsFailureOf(answered('InternalError', 'server'), 'Publish')).toMatchObject({ outcome: 'unavailable' });
  const silent = Object.assign(new Error('socket hang up'), { name: 'TimeoutError', $metadata: { attempts: 3 } });
  expect(awsFailureOf(silent, 'Publish')).toEqual({
    outcome: 'unavailable',
    code: 'TimeoutError',
    reason: 'Publish: TimeoutError: socket hang up',
  });
});

test('a mistake of ours is no refusal, and shows as what it is', async () => {
  const mistake = new TypeError('undefined is not a function');
  expect(awsFailureOf(mistake, 'Publish')).toBeUndefined();
  await expect(new TolerantReader().readOr('Publish', () => Promise.reject(mistake), 'nothing')).rejects.toBe(mistake);
});

test('what AWS does not tell is taken as the least it could say, and remembered', async () => {
  const reading = new TolerantReader();
  const denied = answered('AccessDeniedException');
  expect(await reading.readOr('GetParameter', () => Promise.reject(denied), 'unknown')).toBe('unknown');
  expect(await reading.readOr('GetParameter', async () => 'on', 'unknown')).toBe('on');
  expect(reading.unread).toEqual(['GetParameter: AccessDeniedException: AWS says so']);
});

test.each([
  ['QueueDoesNotExist', true],
  ['ResourceNotFoundException', true],
  ['AWS.SimpleQueueService.NonExistentQueue', true],
  ['AccessDenied', false],
])('%s says that there is none: %s', (code, says) => {
  expect(isNotFound(answered(code))).toBe(says);
});

/** AWS's recorded texts: aws-semantics.md, section 9. */
test('the refusals of a move task are told apart by their words', () => {
  const none = answered('InvalidParameterValue', 'client', 'Source queue must be configured as a Dead Letter Queue.');
  const other = answered(
    'InvalidParameterValue',
    'client',
    'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
  );
  expect([none, other].map(isNotADeadLetterQueue)).toEqual([true, false]);
  expect([none, other].map(isAlreadyRunning)).toEqual([false, true]);
  expect([none, other].map(isTaskOver)).toEqual([false, false]);
});
