import { CfnParameter, Duration } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue } from '../../lib';
import { Deployed } from '../support/deployed';

const DAY_SECONDS = 86_400;

/** What a message may have spent in its source is lost to the dead-letter queue: there it has 14 days less that. */
test('A dead letter that spent 11 of its 14 days in a source of unknown retention rings before it expires', async () => {
  const deployed = await Deployed.stack(stack => {
    const retention = new CfnParameter(stack, 'Retention', { type: 'Number', default: 13 * DAY_SECONDS });
    const queue = new DeadLetterQueue(stack, 'Dlq');
    const source = new Queue(stack, 'Source', {
      retentionPeriod: Duration.seconds(retention.valueAsNumber),
      visibilityTimeout: Duration.seconds(30),
      deadLetterQueue: { queue, maxReceiveCount: 1 },
    });
    queue.fedByQueue(source);
  });
  await deployed.send('Source', 'an order');
  await deployed.advance({ days: 11 });
  expect(await deployed.receive('Source')).toHaveLength(1);
  await deployed.advance({ minutes: 1 });
  expect(await deployed.receive('Source')).toEqual([]);
  await deployed.advance({ days: 4 });
  expect(await deployed.receive('Dlq')).toEqual([]);

  const [rang = Number.NaN] = deployed.alarmed('Dlq/AgeAlarm');
  expect(rang).toBeGreaterThan(11 * DAY_SECONDS);
  expect(rang).toBeLessThan(14 * DAY_SECONDS - 2 * DAY_SECONDS);
});
