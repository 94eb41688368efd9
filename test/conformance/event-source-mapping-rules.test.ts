import { DeployedFunction } from './deployed-function';
import { Queue } from './queue';
import { row, Target } from './target';

const NOTHING = 'exports.handler = async () => {};';

describe('section 8: what an event source mapping may say', () => {
  const aws = new Target();

  const parts = async (queue = {}) => [await DeployedFunction.of(aws, NOTHING), await Queue.of(aws, queue)] as const;

  row('a batch is of 10 messages where nothing is said', async () => {
    const [deployed, queue] = await parts();
    expect(await deployed.feed(queue.arn)).toMatchObject({ BatchSize: 10, MaximumBatchingWindowInSeconds: 0 });
  });

  row.each([
    ['10,000 messages with a window of 1 s', {}, { BatchSize: 10_000, MaximumBatchingWindowInSeconds: 1 }],
    ['10 messages of a FIFO queue', { FifoQueue: 'true' }, { BatchSize: 10 }],
    ['a maximum concurrency of 2', {}, { ScalingConfig: { MaximumConcurrency: 2 } }],
    ['a maximum concurrency of 1,000', {}, { ScalingConfig: { MaximumConcurrency: 1_000 } }],
  ])('%s', async (_, attributes, said) => {
    const [deployed, queue] = await parts(attributes);
    expect(await deployed.feed(queue.arn, said)).toMatchObject(said);
  });

  row.each([
    ['11 messages without a window', {}, { BatchSize: 11 }],
    ['10,001 messages', {}, { BatchSize: 10_001, MaximumBatchingWindowInSeconds: 1 }],
    ['11 messages of a FIFO queue', { FifoQueue: 'true' }, { BatchSize: 11 }],
    ['a maximum concurrency of 1', {}, { ScalingConfig: { MaximumConcurrency: 1 } }],
    ['a maximum concurrency of 1,001', {}, { ScalingConfig: { MaximumConcurrency: 1_001 } }],
  ])('and not %s', async (_, attributes, said) => {
    const [deployed, queue] = await parts(attributes);
    await expect(deployed.feed(queue.arn, said)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
  });

  row.each(['{"body":"red"}', '{"body"', '[]', '{"body":[{"unheard-of":1}]}'])(
    'and not the filter %s',
    async Pattern => {
      const [deployed, queue] = await parts();
      const said = { FilterCriteria: { Filters: [{ Pattern }] } };
      await expect(deployed.feed(queue.arn, said)).rejects.toMatchObject({
        name: 'InvalidParameterValueException',
        message: 'Invalid filter pattern definition.',
      });
    },
  );

  row('and not a queue that is not there', async () => {
    const [deployed, queue] = await parts();
    await expect(deployed.feed(`${queue.arn}-of-nobody`)).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
      message:
        'Error occurred while ReceiveMessage. SQS Error Code: AWS.SimpleQueueService.NonExistentQueue. ' +
        'SQS Error Message: The specified queue does not exist.',
    });
  });

  row('and not what another one says already', async () => {
    const [deployed, queue] = await parts();
    const { UUID } = await deployed.feed(queue.arn);
    await expect(deployed.feed(queue.arn)).rejects.toMatchObject({
      name: 'ResourceConflictException',
      message:
        `An event source mapping with SQS arn (" ${queue.arn} ") and function (" ${deployed.name} ") already exists. ` +
        `Please update or delete the existing mapping with UUID ${UUID}`,
      $metadata: { httpStatusCode: 409 },
    });
  });
});
