import {
  DescribePipeCommand,
  type DescribePipeResponse,
  type Pipe,
  PipesClient,
  paginateListPipes,
} from '@aws-sdk/client-pipes';
import type { QueueUserFacts } from '../../diagnosis/inventory/inventory';
import { knownValue, mapKnown } from '../../template/maybe-known';
import { isMissing } from '../connection/unread-calls';
import { type AccountReader, type InventoryQuestion, itemsOf, unlessEmpty } from './account-reader';
import { streamRetries } from './functions';

const PIPES: InventoryQuestion = { action: 'pipes:ListPipes', tells: 'the pipes', hides: ['queueUsers'] };

const PIPE: InventoryQuestion = {
  action: 'pipes:DescribePipe',
  of: ['pipe', 'pipes'],
  tells: 'the dead-letter queue',
  hides: ['queueUsers', 'feeders'],
};

/** A Region or another implementation of AWS without EventBridge Pipes has no pipes. */
async function* allPipes(client: PipesClient): AsyncIterable<readonly Pipe[]> {
  try {
    yield* itemsOf(paginateListPipes({ client }, {}), ({ Pipes }) => Pipes);
  } catch (error) {
    if (!(error instanceof Error && isMissing(error))) throw error;
  }
}

function streamOf({
  SourceParameters: { KinesisStreamParameters, DynamoDBStreamParameters } = {},
}: DescribePipeResponse) {
  return KinesisStreamParameters ?? DynamoDBStreamParameters;
}

const STOPPED = 'STOPPED';

/**
 * Reads the sources and dead-letter queues of the Region's pipes. It needs the permissions `pipes:ListPipes` and
 * `pipes:DescribePipe`.
 */
export async function readPipes(reader: AccountReader): Promise<readonly QueueUserFacts[]> {
  const client = reader.aws.client(PipesClient);
  const listed = await reader.list(PIPES, allPipes(client));
  return reader.each(listed, async ({ Arn: arn = '', Name = '', Source, DesiredState }) => {
    const pipe = await reader.ask(PIPE, Name, () => client.send(new DescribePipeCommand({ Name })));
    const described = knownValue(pipe);
    const stream = described && streamOf(described);
    return {
      arn,
      name: Name,
      kind: 'pipe' as const,
      isEnabled: DesiredState !== STOPPED,
      sourceArn: Source,
      deadLetterTargetArn: mapKnown(pipe, it => unlessEmpty(streamOf(it)?.DeadLetterConfig?.Arn)),
      ...(stream && { streamRetries: streamRetries(stream) }),
    };
  });
}
