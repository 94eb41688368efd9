import { listMoveTasks, taskCanceller, taskStarter } from '../../../mover/aws/move-tasks';
import { arn, redrivePolicy } from '../../local/sqs/move-tasks-fixture';
import { START_MS } from '../../local/sqs/sqs-fixture';
import { WireFixture } from '../../local/wire/wire-fixture';

/** Prepares twenty dead letters for a redrive. */
function withDeadLetters({ isNamed = true, destination = 'orders' } = {}) {
  const fixture = new WireFixture();
  const { aws, client } = fixture;
  const dlq = aws.createQueue('dlq');
  aws.createQueue('orders', isNamed ? { RedrivePolicy: redrivePolicy() } : {});
  for (let i = 0; i < 20; i += 1) aws.send(dlq, `order ${i}`);
  const startTask = taskStarter(client, { sourceArn: arn('dlq'), destinationArn: arn(destination) });
  const start = () => startTask(1);
  return { aws, start, list: () => listMoveTasks(client, arn('dlq')), cancel: taskCanceller(client) };
}

/** aws-semantics.md, section 9. */
describe('A task of SQS', () => {
  test('is started with the rate of its step and a stated destination, is told of, and cancelled', async () => {
    const { aws, start, list, cancel } = withDeadLetters();
    expect(await list()).toEqual([]);
    expect(await start()).toEqual({ outcome: 'started' });
    await aws.goTo(10);
    const [task] = await list();
    expect(task).toEqual({
      carrier: 'task',
      status: 'RUNNING',
      startedAtMs: START_MS,
      handle: expect.any(String),
      messagesPerSecond: 1,
      destinationArn: arn('orders'),
      moved: expect.any(Number),
      toMove: 20,
    });
    expect(await cancel(task?.handle ?? '')).toEqual({ outcome: 'cancelled', moved: 10 });
    expect(await list()).toMatchObject([{ status: 'CANCELLING' }]);
    expect(await cancel(task?.handle ?? '')).toEqual({ outcome: 'over-already' });
    await aws.goTo(20);
    const [cancelled] = await list();
    expect(cancelled).toMatchObject({ status: 'CANCELLED', moved: 13 });
    expect(cancelled).not.toHaveProperty('handle');
  });

  test('is not started where another process moves the messages', async () => {
    const { start } = withDeadLetters();
    await start();
    expect(await start()).toEqual({
      outcome: 'already-running',
      reason: expect.stringContaining('There is already a task running.'),
    });
  });

  test('is refused where no queue names this one as its dead-letter queue: somebody must copy', async () => {
    const { start } = withDeadLetters({ isNamed: false });
    expect(await start()).toEqual({
      outcome: 'refused',
      reason: expect.stringContaining('Source queue must be configured as a Dead Letter Queue.'),
    });
  });

  test('is not started to a destination that is not there', async () => {
    const { start } = withDeadLetters({ destination: 'nowhere' });
    expect(await start()).toMatchObject({
      outcome: 'failed',
      code: 'ResourceNotFoundException',
      reason: expect.stringContaining('DestinationArn'),
    });
  });

  test('cannot be cancelled twice, nor by what is no handle', async () => {
    const { cancel } = withDeadLetters();
    const gone = Buffer.from(JSON.stringify({ taskId: 'gone', sourceArn: arn('dlq') })).toString('base64');
    expect(await cancel(gone)).toEqual({ outcome: 'over-already' });
    expect(await cancel('no handle')).toMatchObject({ outcome: 'refused', code: 'InvalidParameterValue' });
  });
});

test('Of a queue that is not there, SQS tells of no task', async () => {
  expect(await listMoveTasks(new WireFixture().client, arn('dlq'))).toEqual([]);
});
