import { DescribePipeCommand, ListPipesCommand } from '@aws-sdk/client-pipes';
import { readPipes } from '../../../account/inventory/events';
import { type Answer, named, readerOf } from './answering-reader';

const REGION = 'eu-west-1';
const ARN = `arn:aws:pipes:${REGION}:111122223333:pipe/clicks`;
const STREAM = `arn:aws:kinesis:${REGION}:111122223333:stream/clicks`;
const DEAD = `arn:aws:sqs:${REGION}:111122223333:dead`;
const LISTED = { Pipes: [{ Arn: ARN, Name: 'clicks', Source: STREAM, DesiredState: 'RUNNING' }] };

const FACTS = { arn: ARN, name: 'clicks', kind: 'pipe', isEnabled: true, sourceArn: STREAM };

test.each<[string, Answer, object]>([
  [
    'with its dead-letter queue and its retries',
    { SourceParameters: { KinesisStreamParameters: { DeadLetterConfig: { Arn: DEAD }, MaximumRetryAttempts: 3 } } },
    {
      deadLetterTargetArn: DEAD,
      streamRetries: { maximumRetryAttempts: 3, maximumRecordAgeSeconds: -1 },
    },
  ],
  ['of a queue', { SourceParameters: { SqsQueueParameters: { BatchSize: 1 } } }, { deadLetterTargetArn: undefined }],
  [
    'whose settings are denied, which are unknown then',
    named('AccessDeniedException', 'no'),
    { deadLetterTargetArn: { unknownBecause: 'cannot be read without the permission pipes:DescribePipe' } },
  ],
])('a pipe is read %s', async (_, described, facts) => {
  const reader = readerOf({ [ListPipesCommand.name]: LISTED, [DescribePipeCommand.name]: described });
  expect(await readPipes(reader)).toEqual([{ ...FACTS, ...facts }]);
});

test.each<[string, Error, readonly string[], readonly string[]]>([
  [
    'that may not be listed are unknown',
    named('AccessDeniedException', 'no'),
    ['the pipes cannot be read without the permission pipes:ListPipes'],
    ['queueUsers'],
  ],
  ['of an endpoint without EventBridge Pipes do not exist', named('NotImplemented', 'no pipes'), [], []],
])('pipes %s', async (_, error, unseen, incomplete) => {
  const reader = readerOf({ [ListPipesCommand.name]: error });
  expect(await readPipes(reader)).toEqual([]);
  expect([reader.unseen, reader.incomplete]).toEqual([unseen, incomplete]);
});
