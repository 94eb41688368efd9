import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Rule, Schedule as RuleSchedule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ISchedule, Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { SqsSendMessage } from 'aws-cdk-lib/aws-scheduler-targets';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue } from '../../lib';
import { Deployed } from '../support/deployed';

const EVERY_MINUTE = Duration.minutes(1);

/** A rule that fires every minute at a queue that will be gone. */
function newRule(stack: Stack, deadLetterQueue: IQueue): Rule {
  const schedule = RuleSchedule.rate(EVERY_MINUTE);
  const target = new SqsQueue(new Queue(stack, 'Target'), { deadLetterQueue });
  return new Rule(stack, 'Feeder', { schedule, targets: [target] });
}

function newSchedule(stack: Stack, deadLetterQueue: IQueue): ISchedule {
  const schedule = ScheduleExpression.rate(EVERY_MINUTE);
  const target = new SqsSendMessage(new Queue(stack, 'Target'), { deadLetterQueue });
  return new Schedule(stack, 'Feeder', { schedule, target });
}

interface Feeding {
  readonly feeder: string;
  readonly plain: (stack: Stack, deadLetterQueue: IQueue) => unknown;
  readonly ours: (stack: Stack, deadLetterQueue: DeadLetterQueue) => void;
  readonly lost: 'events.dropped' | 'scheduler.dropped';
  readonly kept: 'events.dead-lettered' | 'scheduler.dead-lettered';
}

const FEEDINGS: readonly Feeding[] = [
  {
    feeder: 'an EventBridge rule',
    plain: newRule,
    ours: (stack, queue) => queue.fedByRule(newRule(stack, queue)),
    lost: 'events.dropped',
    kept: 'events.dead-lettered',
  },
  {
    feeder: 'a schedule',
    plain: newSchedule,
    ours: (stack, queue) => queue.fedBySchedule(newSchedule(stack, queue)),
    lost: 'scheduler.dropped',
    kept: 'scheduler.dead-lettered',
  },
];

/** Lets the feeder fire a few times at a target that is gone. */
async function failing(fill: (stack: Stack) => void): Promise<Deployed> {
  const deployed = await Deployed.stack(fill);
  await deployed.sqs.send(new DeleteQueueCommand({ QueueUrl: deployed.ref('Target') }));
  await deployed.advance({ minutes: 5 });
  return deployed;
}

describe.each(FEEDINGS)('Into a dead-letter queue with a key of one’s own, $feeder', ({ plain, ours, lost, kept }) => {
  test('loses what it cannot deliver with aws-cdk-lib, which grants nothing on the key', async () => {
    const deployed = await failing(stack => {
      plain(stack, new Queue(stack, 'Dead', { encryptionMasterKey: new Key(stack, 'Key') }));
    });
    const [first] = deployed.happened(lost);
    expect(first?.reason).toMatch(/kms:GenerateDataKey/);
    expect(deployed.happened(kept)).toEqual([]);
  });

  test('sends it with ours, and the alarm tells', async () => {
    const deployed = await failing(stack => {
      ours(stack, new DeadLetterQueue(stack, 'Dead', { encryptionMasterKey: new Key(stack, 'Key') }));
    });
    expect(deployed.happened(lost)).toEqual([]);
    const letters = await deployed.take('Dead');
    expect(letters.length).toBeGreaterThan(0);
    expect(deployed.happened(kept).length).toBeGreaterThanOrEqual(letters.length);
    expect(deployed.alarmed('Dead/ArrivalsAlarm').length).toBeGreaterThan(0);
  });
});
