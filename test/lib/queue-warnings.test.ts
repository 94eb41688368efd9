import { Duration, type Stack } from 'aws-cdk-lib';
import {
  DeadLetterQueue,
  type DeadLetterQueueProps,
  ImportedDeadLetterQueue,
  ProcessingQueue,
  type ProcessingQueueProps,
} from '../../lib';
import { APP_ENV, importedQueue } from './bad-input/refused';
import { newStack, numberToken, opsTopic, warningIds } from './support';

const days = Duration.days;
const actionsIn = (stack: Stack) => [opsTopic(stack)];

/** What a queue is warned of when its alarms are heard. */
function warned(make: (stack: Stack) => unknown): string[] {
  const stack = newStack(APP_ENV);
  make(stack);
  return warningIds(stack);
}

describe('A queue that loses what it keeps too short', () => {
  test.each<[string, ProcessingQueueProps, string[]]>([
    ['an hour, and an alarm after it', { retentionPeriod: Duration.hours(1) }, ['age-alarm-never-fires']],
    ['an hour and a second', { retentionPeriod: Duration.seconds(3_601) }, []],
    ['the default, and an alarm after it', { ageAlarmThreshold: days(4) }, ['age-alarm-never-fires']],
    ['the default, and an alarm before it', { ageAlarmThreshold: Duration.seconds(345_599) }, []],
    ['as long as its receives take', receives(8), ['expires-before-last-receive']],
    ['longer than they take', receives(7), []],
    ['nobody knows how long', { ...receives(8), retentionPeriod: Duration.seconds(numberToken()) }, []],
    ['receives nobody knows', receives(numberToken()), []],
  ])('keeps %s', (_, props, ids) => {
    expect(warned(stack => new ProcessingQueue(stack, 'It', { ...props, alarmActions: actionsIn(stack) }))).toEqual(
      ids,
    );
  });

  test('judges the receives before a dead-letter queue it was given', () => {
    const ids = warned(stack => {
      const alarmActions = actionsIn(stack);
      const deadLetterQueue = { queue: new DeadLetterQueue(stack, 'Dlq', { alarmActions }), maxReceiveCount: 8 };
      return new ProcessingQueue(stack, 'It', { visibilityTimeout: Duration.hours(12), deadLetterQueue, alarmActions });
    });
    expect(ids).toEqual(['expires-before-last-receive']);
  });
});

function receives(maxReceiveCount: number): ProcessingQueueProps {
  return { visibilityTimeout: Duration.hours(12), maxReceiveCount };
}

describe('A dead-letter queue that keeps letters', () => {
  const TOO_SHORT = ['dead-letters-kept-too-short'];

  test.each<[string, DeadLetterQueueProps, string[]]>([
    ['for less than the time to respond', { retentionPeriod: days(2) }, TOO_SHORT],
    ['for as long', { retentionPeriod: days(3) }, []],
    ['until the unattended alarm', { retentionPeriod: days(1), timeToRespond: Duration.hours(1) }, TOO_SHORT],
    ['beyond it', { retentionPeriod: Duration.hours(25), timeToRespond: Duration.hours(1) }, []],
    [
      'for a day, without such an alarm',
      { retentionPeriod: days(1), timeToRespond: days(1), watchUnattended: false },
      [],
    ],
    ['nobody knows how long', { retentionPeriod: Duration.seconds(numberToken()) }, []],
  ])('%s', (_, props, ids) => {
    expect(warned(stack => new DeadLetterQueue(stack, 'It', { ...props, alarmActions: actionsIn(stack) }))).toEqual(
      ids,
    );
  });

  test('somewhere else', () => {
    const ids = warned(stack => {
      const props = { queue: importedQueue(stack), retentionPeriod: days(2), alarmActions: actionsIn(stack) };
      return new ImportedDeadLetterQueue(stack, 'It', props);
    });
    expect(ids).toEqual(TOO_SHORT);
  });
});
